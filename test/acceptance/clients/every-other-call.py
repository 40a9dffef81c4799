"""Drives every call of the published Python client that is not about messages, and what is documented
beside them, and says what it saw as JSON. The organization is shared: what is made is taken away."""

import io
import json
import struct
import sys
import zlib

import zulip

site, email, key, word, other_email, other = sys.argv[1:7]
other_id = int(other)
client = zulip.Client(site=site, email=email, api_key=key, client="ParleyTest")
saw = {}


def call(name, answer):
    """Keeps what was answered; a call that did not succeed is the test's to find."""
    saw[name] = answer
    return answer


def note(name, method, url, request=None, files=None):
    """A call that has no method of its own in this client."""
    answer = client.call_endpoint(url=url, method=method, request=request, files=files)
    return call(name, answer)


def picture():
    """A red square."""

    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress((b"\0" + b"\xff\0\0" * 8) * 8))
    file = io.BytesIO(b"\x89PNG\r\n\x1a\n" + head + rows + chunk(b"IEND", b""))
    file.name = "red.png"
    return file


# Oneself.
my_id = call("profile", client.get_profile())["user_id"]
call("server", client.get_server_settings())
call("alert", client.add_alert_words(["lunch %s" % word, "dinner"]))
call("alerts", client.get_alert_words())
call("unalert", client.remove_alert_words(["dinner"]))
notify = {"enable_stream_push_notifications": True, "notification_sound": "ding"}
call("notify", client.update_notification_settings(notify))
note("display", "PATCH", "settings/display", {"twenty_four_hour_time": True})
wishes = {"emojiset": "google", "full_name": "Calls %s" % word, "no_such_setting": 1}
note("settings", "PATCH", "settings", wishes)
note("status", "POST", "users/me/status", {"status_text": "away", "emoji_name": "car"})
note("status_read", "GET", "users/%d/status" % my_id)
ping = {"status": "active", "ping_only": False, "new_user_input": True}
call("presence", client.update_presence(ping))
call("presence_by_email", client.get_user_presence(email))
note("presence_by_id", "GET", "users/%d/presence" % my_id)
call("presences", client.get_realm_presence())
note("avatar", "POST", "users/me/avatar", files=[picture()])
note("no_avatar", "DELETE", "users/me/avatar")
step = {"onboarding_step": "visibility_policy_banner"}
note("onboarding", "POST", "users/me/onboarding_steps", step)
note("mute", "POST", "users/me/muted_users/%d" % other_id)
note("mute_twice", "POST", "users/me/muted_users/%d" % other_id)
note("unmute", "DELETE", "users/me/muted_users/%d" % other_id)
snippet = note("snippet", "POST", "saved_snippets", {"title": "T", "content": "C"})
note("snippets", "GET", "saved_snippets")
snippet = "saved_snippets/%d" % snippet["saved_snippet_id"]
note("edit_snippet", "PATCH", snippet, {"title": "U"})
note("delete_snippet", "DELETE", snippet)
view = "narrow/channel/1-%s" % word
note("view", "POST", "navigation_views", {"fragment": view, "is_pinned": True, "name": "View"})
note("views", "GET", "navigation_views")
view = "navigation_views/" + view.replace("/", "%2F")
note("edit_view", "PATCH", view, {"is_pinned": False})
note("delete_view", "DELETE", view)
call("attachments", client.get_attachments())

# Channels.
channel = "channel %s" % word
wanted = [{"name": channel, "description": "first"}]
call("subscribe", client.add_subscriptions(wanted, principals=[my_id, other_id]))
call("subscribe_again", client.add_subscriptions([{"name": channel}]))
stream_id = call("stream_id", client.get_stream_id(channel))["stream_id"]
stream = "streams/%d" % stream_id
call("subscriptions", client.get_subscriptions({"include_subscribers": True}))
call("subscribed", client.get_subscription_status(user_id=other_id, stream_id=stream_id))
note("channels_of", "GET", "users/%d/channels" % other_id)
call("subscribers", client.get_subscribers(stream=channel))
call("streams", client.get_streams(include_public=True, include_subscribed=False))
note("stream", "GET", stream)
change = {"stream_id": stream_id, "description": "second", "is_private": False}
call("update_stream", client.update_stream(change))
call("topics", client.get_stream_topics(stream_id))
call("channel_email", client.get_stream_email_address(stream_id))
pin = {"stream_id": stream_id, "property": "pin_to_top", "value": True}
paint = {"stream_id": stream_id, "property": "color", "value": "#f00f00"}
call("properties", client.update_subscription_settings([pin, paint]))
own = "users/me/subscriptions/%d" % stream_id
note("property", "PATCH", own, {"property": "is_muted", "value": True})
note("color", "PATCH", own, {"property": "color", "value": "#00ff00"})
call("subscriptions_then", client.get_subscriptions())
call("mute_topic", client.mute_topic({"stream": channel, "topic": "lunch", "op": "add"}))
follow = {"stream_id": stream_id, "topic": "dinner", "visibility_policy": 3}
note("follow_topic", "POST", "user_topics", follow)
wish = {"name": "made %s" % word, "subscribers": [my_id]}
made = note("create_channel", "POST", "channels/create", wish)
note("create_channel_twice", "POST", "channels/create", wish)
named = {"name": "folder %s" % word, "description": ""}
folder_id = note("folder", "POST", "channel_folders/create", named)["channel_folder_id"]
folder = "channel_folders/%d" % folder_id
note("folders", "GET", "channel_folders")
note("edit_folder", "PATCH", folder, {"description": "for tests"})
note("put_in_folder", "PATCH", "streams/%d" % made["id"], {"folder_id": folder_id})
# The client leaves out what is None.
note("take_out", "PATCH", "streams/%d" % made["id"], {"folder_id": "null"})
note("hide_folder", "PATCH", folder, {"is_archived": True})
call("default", client.add_default_stream(stream_id))
note("no_default", "DELETE", "default_streams", {"stream_id": stream_id})
lunch = {"type": "stream", "to": channel, "topic": "lunch", "content": "x"}
call("say", client.send_message(lunch))
note("delete_topic", "POST", stream + "/delete_topic", {"topic_name": "lunch"})
call("unsubscribe", client.remove_subscriptions([channel], principals=[other_id]))
call("leave", client.remove_subscriptions([channel]))
call("archive", client.delete_stream(stream_id))
call("archive_other", client.delete_stream(made["id"]))

# People, bots and groups.
call("users", client.get_users({"client_gravatar": True}))
call("members", client.get_members())
call("user", client.get_user_by_id(other_id, include_custom_profile_fields=True))
note("user_by_email", "GET", "users/" + other_email)
call("rename", client.update_user_by_id(other_id, full_name="Renamed %s" % word))
note("rename_by_email", "PATCH", "users/" + other_email, {"full_name": "Again %s" % word})
newcomer = {
    "email": "new-%s@root.example" % word,
    "password": "correct horse battery",
    "full_name": "New",
}
new_id = call("create_user", client.create_user(newcomer)).get("user_id", 0)
call("create_user_twice", client.create_user(newcomer))
call("deactivate", client.deactivate_user_by_id(new_id))
call("reactivate", client.reactivate_user_by_id(new_id))
call("deactivate_again", client.deactivate_user_by_id(new_id))
bot = {"full_name": "Bot %s" % word, "short_name": "b%s" % word, "bot_type": 1}
bot = note("bot", "POST", "bots", bot)
note("bots", "GET", "bots")
bot_key = bot["api_key"]
bot_email = client.get_user_by_id(bot["user_id"])["user"]["email"]
machine = zulip.Client(site=site, email=bot_email, api_key=bot_key, client="ParleyTest")
call("store", machine.update_storage({"storage": {"entry 1": "value 1", "entry 2": "value 2"}}))
call("stored", machine.get_storage())
call("stored_one", machine.get_storage({"keys": ["entry 1"]}))
call("bot_profile", machine.get_profile())
call("store_as_person", client.update_storage({"storage": {"entry 1": "value 1"}}))
note("edit_bot", "PATCH", "bots/%d" % bot["user_id"], {"full_name": "Machine %s" % word})
note("delete_bot", "DELETE", "bots/%d" % bot["user_id"])
wish = {"name": "group %s" % word, "description": "D", "members": [my_id]}
group_id = call("group", client.create_user_group(wish))["group_id"]
group = "user_groups/%d" % group_id
call("groups", client.get_user_groups())
swap = {"add": [other_id], "delete": [my_id]}
call("group_members", client.update_user_group_members(group_id, swap))
note("members_of_group", "GET", group + "/members")
note("member_of_group", "GET", group + "/members/%d" % other_id)
wish = {"name": "inner %s" % word, "description": "D", "members": []}
inner_id = call("inner", client.create_user_group(wish))["group_id"]
note("subgroups", "POST", group + "/subgroups", {"add": [inner_id]})
note("subgroups_read", "GET", group + "/subgroups")
note("in_use", "POST", "user_groups/%d/deactivate" % inner_id)
change = {"group_id": group_id, "name": "group2 %s" % word, "description": "E"}
call("edit_group", client.update_user_group(change))
note("end_group", "POST", group + "/deactivate")

# The organization.
emoji = "red_%s" % word
call("emoji", client.upload_custom_emoji(emoji, picture()))
call("emojis", client.get_realm_emoji())
call("no_emoji", client.delete_custom_emoji(emoji))
pattern = "#%s(?P<id>[0-9]+)" % word
linkifier = call("linkifier", client.add_realm_filter(pattern, "https://issues.example/{id}"))
call("linkifiers", client.get_realm_linkifiers())
change = {"pattern": pattern, "url_template": "https://other.example/{id}"}
note("edit_linkifier", "PATCH", "realm/filters/%d" % linkifier["id"], change)
call("no_linkifier", client.remove_realm_filter(linkifier["id"]))
wish = {
    "name": "P %s" % word,
    "pygments_language": "Python",
    "url_template": "https://p.example/{code}",
}
playground = note("playground", "POST", "realm/playgrounds", wish)
note("no_playground", "DELETE", "realm/playgrounds/%d" % playground["id"])
phone = {"name": "Phone %s" % word, "hint": "Contact No.", "field_type": 1}
field_id = call("field", client.create_realm_profile_field(**phone))["id"]
fields = call("fields", client.get_realm_profile_fields())["custom_fields"]
order = [one["id"] for one in fields]
call("order", client.reorder_realm_profile_fields(order=order))
call("edit_field", client.update_realm_profile_field(field_id, name="Tel %s" % word))
note("fill", "PATCH", "users/me/profile_data", {"data": [{"id": field_id, "value": "+1"}]})
note("clear", "DELETE", "users/me/profile_data", {"data": [field_id]})
call("no_field", client.remove_realm_profile_field(field_id))
domain = "d%s.example" % word
note("domain", "POST", "realm/domains", {"domain": domain, "allow_subdomains": True})
note("domains", "GET", "realm/domains")
note("edit_domain", "PATCH", "realm/domains/" + domain, {"allow_subdomains": False})
note("no_domain", "DELETE", "realm/domains/" + domain)
guest = "i-%s@root.example" % word
note("invite", "POST", "invites", {"invitee_emails": guest, "stream_ids": []})
link = note("invite_link", "POST", "invites/multiuse", {"stream_ids": []})["invite_link"]
for one in note("invites", "GET", "invites")["invites"]:
    if one.get("email") == guest:
        note("resend", "POST", "invites/%d/resend" % one["id"])
        note("revoke", "DELETE", "invites/%d" % one["id"])
    if one.get("link_url") == link:
        note("revoke_link", "DELETE", "invites/multiuse/%d" % one["id"])
note("consents", "GET", "export/realm/consents")
note("exports", "GET", "export/realm")
print(json.dumps(saw))
