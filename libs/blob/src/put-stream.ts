import type { Readable } from 'node:stream'
import type { Client } from 'minio'

/** Bytes of a stream that are in memory at a time, and of a part in the store: the least that S3 takes. */
const partSize = 5 * 1024 * 1024

/** What a stream gives, in pieces of one part; the last one may be shorter. The stream is read no faster than they are taken. */
async function* parts(content: Readable): AsyncGenerator<Buffer, Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    let rest = chunk
    while (size + rest.length > partSize) {
      held.push(rest.subarray(0, partSize - size))
      yield Buffer.concat(held)
      rest = rest.subarray(partSize - size)
      held = []
      size = 0
    }
    held.push(rest)
    size += rest.length
  }
  return Buffer.concat(held)
}

/**
 * Stores a stream: a short one at once, a long one in parts, one in memory at a time. The client's own way of doing so
 * gathers half a gigabyte of a stream whose length it does not know, and looks for earlier attempts first.
 */
export const putStream = async (
  client: Client,
  bucketName: string,
  objectName: string,
  content: Readable,
  contentType: string,
): Promise<void> => {
  const headers = { 'Content-Type': contentType }
  let uploadId: string | undefined
  const etags: { part: number; etag: string }[] = []

  const putPart = async (piece: Buffer): Promise<void> => {
    uploadId ??= await client.initiateNewMultipartUpload(bucketName, objectName, headers)
    const part = etags.length + 1
    const query = new URLSearchParams({ partNumber: String(part), uploadId }).toString()
    const answer = await client.makeRequestAsync(
      { method: 'PUT', bucketName, objectName, query, headers: { 'Content-Length': String(piece.length) } },
      piece,
    )
    answer.resume()
    etags.push({ part, etag: String(answer.headers.etag ?? '').replaceAll('"', '') })
  }

  try {
    const pieces = parts(content)
    for (;;) {
      const { value, done } = await pieces.next()
      if (done !== true) await putPart(value)
      else if (uploadId === undefined)
        return void (await client.putObject(bucketName, objectName, value, value.length, headers))
      else {
        await putPart(value)
        return void (await client.completeMultipartUpload(bucketName, objectName, uploadId, etags))
      }
    }
  } catch (error) {
    content.destroy()
    if (uploadId !== undefined) {
      await client.abortMultipartUpload(bucketName, objectName, uploadId).catch(() => {})
    }
    throw error
  }
}
