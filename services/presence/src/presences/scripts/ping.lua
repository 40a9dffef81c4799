-- Somebody is there. Arguments: user, 1 when active, whether the user hides ('' when the caller does not know: then the
-- answer for a user who is new here is 'unknown').
local user, active, hidden = ARGV[5], ARGV[6] == '1', ARGV[7]
-- Others are told anew of somebody who stays once their knowledge is older than this: they believe it for 200 s, the next
-- ping comes within 60 s, and they may take another 60 s to ask.
local refresh = 70

if redis.call('EXISTS', prefix .. 'gone:' .. user) == 1 then return { 'unseen', newest_id() } end
local before = read(user)
if before == nil and hidden == '' then return { 'unknown' } end
if before == nil and hidden == '1' then
  -- Only to know it for a day without asking: it is so old that nobody reads a recent visit from it, and no news.
  store(user, { active = 0, connected = now - retention + 86400, announced = 0, hidden = true }, false)
  keep_for_long()
  return { 'unseen', newest_id() }
end
if before and before.hidden then return { 'unseen', newest_id() } end

local seen = { active = active and now or (before and before.active or 0), connected = now, announced = before and before.announced or 0 }
local came_back = active and (before == nil or before.active == 0 or now - before.active > offline)
local is_news = before == nil or came_back or is_active(before) ~= is_active(seen) or now - seen.announced >= refresh
local record = store(user, seen, is_news)
local online = came_back and redis.call('ZCOUNT', connected_key, now - offline, '+inf') or 0
return { 'seen', newest_id(), record, came_back and '1' or '0', tostring(online) }
