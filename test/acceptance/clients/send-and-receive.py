"""Drives the published Python client: sends a message, receives it, and says what it saw as JSON."""

import base64
import io
import json
import sys

import zulip

site, email, key, channel = sys.argv[1:5]
client = zulip.Client(site=site, email=email, api_key=key, client="ParleyTest")
subscribed = client.add_subscriptions([{"name": channel}])
queue = client.register(event_types=["message"])
sent = client.send_message({"type": "stream", "to": channel, "topic": "python", "content": "from **Python**"})
events = client.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"])
listed = client.get_messages({"anchor": "newest", "num_before": 1, "num_after": 0})
own_id = client.get_profile()["user_id"]
pinged = client.update_presence({"status": "active", "ping_only": False, "new_user_input": True})
status = client.call_endpoint(
    url="users/me/status", method="POST", request={"status_text": "in a test", "emoji_name": "snake"}
)
pixel = io.BytesIO(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
)
pixel.name = "pixel.png"
bot = client.call_endpoint(
    url="bots",
    method="POST",
    request={"full_name": f"Bot of {channel}", "short_name": channel.replace(" ", "-"), "bot_type": 1},
    files=[pixel],
)
pixel.seek(0)
pictured = client.call_endpoint(url=f"bots/{bot['user_id']}", method="PATCH", request={}, files=[pixel])
wrong = client.send_message({"type": "stream", "to": "no such channel", "topic": "t", "content": "x"})
print(
    json.dumps(
        {
            "subscribed": subscribed,
            "sent": sent,
            "events": events,
            "listed": listed,
            "wrong": wrong,
            "pinged": pinged,
            "bot": bot,
            "pictured": pictured,
            "bot_user": client.get_user_by_id(bot["user_id"], client_gravatar=False),
            "presence": client.get_user_presence(email),
            "realm_presence": client.get_realm_presence(),
            "typing": client.set_typing_status({"op": "start", "to": [own_id]}),
            "status": status,
            "status_read": client.call_endpoint(url=f"users/{own_id}/status", method="GET"),
            "settings": client.get_server_settings(),
            "profile": client.get_profile(),
            "members": client.get_members(),
            "deregistered": client.deregister(queue["queue_id"]),
        }
    )
)
