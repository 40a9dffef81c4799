"""Drives every call of the published Python client that is about messages, and says what it saw as JSON."""

import io
import json
import sys
import time

import zulip

site, email, key, channel, other_email, other_channel = sys.argv[1:7]
client = zulip.Client(site=site, email=email, api_key=key, client="ParleyTest")
saw = {}


def call(name, answer):
    """Keeps what was answered; a call that did not succeed is the test's to find."""
    saw[name] = answer
    return answer


def note(name, url, method="POST", request=None):
    """A call that has no method of its own in this client."""
    return call(name, client.call_endpoint(url=url, method=method, request=request))


call("subscribe", client.add_subscriptions([{"name": channel}, {"name": other_channel}]))
stream_id = call("stream_id", client.get_stream_id(channel))["stream_id"]
queue = call("register", client.register(event_types=["message", "reaction", "update_message", "submessage"]))


def say(content, topic="talk", **more):
    message = {"type": "stream", "to": channel, "topic": topic, "content": content, **more}
    return client.send_message(message)


sent = call("send", say("from **Python**"))
poll = call("poll", say("/poll Lunch?\npizza\nsoup", "poll"))
direct = call("direct", client.send_message({"type": "private", "to": [other_email], "content": "hello"}))
call("to_nobody", client.send_message({"type": "direct", "to": ["nobody@x.invalid"], "content": "x"}))
file = io.BytesIO(b"contents of a file")
file.name = "notes.txt"
uploaded = call("upload", client.upload_file(file))
attached = call("attach", say("[notes](%s)" % uploaded["uri"], "files"))

call("listed", client.get_messages({"anchor": "newest", "num_before": 10, "num_after": 0}))
call(
    "narrowed",
    client.get_messages(
        {
            "anchor": "newest",
            "num_before": 10,
            "num_after": 0,
            "narrow": [
                {"operator": "channel", "operand": channel},
                {"operator": "topic", "operand": "poll"},
            ],
            "apply_markdown": False,
        }
    ),
)
call(
    "searched",
    client.get_messages(
        {"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": [["search", "python"]]}
    ),
)
call(
    "matched",
    client.check_messages_match_narrow(
        msg_ids=[sent["id"], poll["id"]], narrow=[{"operator": "has", "operand": "link"}]
    ),
)
call("raw", client.get_raw_message(sent["id"]))
call("render", client.render_message({"content": "**bold** :tada:"}))
call("edit", client.update_message({"message_id": sent["id"], "content": "changed"}))
call("history", client.get_message_history(sent["id"]))
call("detach", client.update_message({"message_id": attached["id"], "content": "no file"}))
call(
    "resolve",
    client.update_message(
        {"message_id": sent["id"], "topic": "✔ talk", "propagate_mode": "change_all"}
    ),
)
call("react", client.add_reaction({"message_id": sent["id"], "emoji_name": "octopus"}))
call("react_twice", client.add_reaction({"message_id": sent["id"], "emoji_name": "octopus"}))
call("unreact", client.remove_reaction({"message_id": sent["id"], "emoji_name": "octopus"}))
call("star", client.update_message_flags({"messages": [sent["id"]], "op": "add", "flag": "starred"}))
note(
    "narrow_flags",
    "messages/flags/narrow",
    request={
        "anchor": "newest",
        "num_before": 5,
        "num_after": 0,
        "narrow": [["channel", channel]],
        "op": "remove",
        "flag": "read",
    },
)
call("mark_topic", client.mark_topic_as_read(stream_id, "poll"))
call("mark_stream", client.mark_stream_as_read(stream_id))
call("mark_all", client.mark_all_as_read())
note("receipts", "messages/%d/read_receipts" % sent["id"], "GET")
note(
    "vote",
    "submessage",
    request={
        "message_id": poll["id"],
        "msg_type": "widget",
        "content": json.dumps({"type": "vote", "key": "canned,0", "vote": 1}),
    },
)
note("one", "messages/%d" % poll["id"], "GET")
call("move", client.move_topic(channel, other_channel, "poll", "lunch"))
call("topics", client.get_stream_topics(stream_id))
call("typing", client.set_typing_status({"op": "start", "to": [client.get_profile()["user_id"]]}))
call("mute_topic", client.mute_topic({"stream": channel, "topic": "poll", "op": "add"}))
draft = {"type": "stream", "to": [stream_id], "topic": "later", "content": "draft"}
drafts = note("draft", "drafts", request={"drafts": [draft]})
note("drafts", "drafts", "GET")
note("edit_draft", "drafts/%d" % drafts["ids"][0], "PATCH", {"draft": {**draft, "content": "better"}})
note("delete_draft", "drafts/%d" % drafts["ids"][0], "DELETE")
later = int(time.time()) + 3600
scheduled = note(
    "schedule",
    "scheduled_messages",
    request={
        "type": "channel",
        "to": stream_id,
        "topic": "later",
        "content": "tomorrow",
        "scheduled_delivery_timestamp": later,
    },
)
note("scheduled", "scheduled_messages", "GET")
note("unschedule", "scheduled_messages/%d" % scheduled["scheduled_message_id"], "DELETE")
reminder = note(
    "remind", "reminders", request={"message_id": sent["id"], "scheduled_delivery_timestamp": later}
)
note("reminders", "reminders", "GET")
note("forget", "reminders/%d" % reminder["reminder_id"], "DELETE")
note("report", "messages/%d/report" % sent["id"], request={"report_type": "spam"})
call("delete", client.delete_message(direct["id"]))
call("deleted", client.get_raw_message(direct["id"]))
call("events", client.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"]))
call("deregister", client.deregister(queue["queue_id"]))
print(json.dumps(saw))
