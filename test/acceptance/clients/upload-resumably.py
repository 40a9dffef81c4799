"""Uploads a file with the published tus client for Python: site, host, user, key, file, checksums (yes or no)."""

import base64
import json
import sys

from tusclient import client

site, host, user, key, path, checksums = sys.argv[1:]
credentials = base64.b64encode(f"{user}:{key}".encode()).decode()
tus = client.TusClient(f"{site}/api/v1/tus/", headers={"Authorization": f"Basic {credentials}", "Host": host})
uploader = tus.uploader(
    path,
    chunk_size=3 * 1024 * 1024 + 17,
    metadata={"filename": "from python.bin", "filetype": "application/x-test"},
    retries=60,
    retry_delay=0.1,
    upload_checksum=checksums == "yes",
)
uploader.upload()
print(json.dumps({"offset": uploader.offset, "answer": json.loads(uploader.request.response_content)}))
