"""Drives the published Python client: sends a message, receives it, and says what it saw as JSON."""

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
wrong = client.send_message({"type": "stream", "to": "no such channel", "topic": "t", "content": "x"})
print(
    json.dumps(
        {
            "subscribed": subscribed,
            "sent": sent,
            "events": events,
            "listed": listed,
            "wrong": wrong,
            "settings": client.get_server_settings(),
            "profile": client.get_profile(),
            "members": client.get_members(),
            "deregistered": client.deregister(queue["queue_id"]),
        }
    )
)
