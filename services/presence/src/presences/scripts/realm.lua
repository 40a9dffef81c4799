-- Shared by all scripts: one organization's presence. Arguments: prefix of the keys, seconds after which somebody is
-- offline, seconds within which somebody counts as active, seconds for which anything is kept.
local prefix = ARGV[1]
local offline, active_within, retention = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local clock = redis.call('TIME')
local now = tonumber(clock[1])
-- user -> "active connected announced hidden" (seconds; active is 0 for never)
local state_key = prefix .. 'state'
-- user by the second of the last connection: who is online, and what has expired
local connected_key = prefix .. 'connected'
-- user by the ID of the newest change
local updates_key = prefix .. 'updates'
-- ID of the newest change
local last_key = prefix .. 'last'

local function exact(number)
  return string.format('%.0f', number)
end

-- IDs follow the clock (microseconds): should Redis forget its last second, no ID is given out twice.
local function next_id()
  local last = tonumber(redis.call('GET', last_key) or '0')
  return exact(math.max(last + 1, now * 1000000 + tonumber(clock[2])))
end

local function newest_id()
  return redis.call('GET', last_key) or '-1'
end

local function read(user)
  local record = redis.call('HGET', state_key, user)
  if not record then return nil end
  local active, connected, announced, hidden = string.match(record, '^(%d+) (%d+) (%d+) (%d)$')
  return {
    active = tonumber(active),
    connected = tonumber(connected),
    announced = tonumber(announced),
    hidden = hidden == '1',
  }
end

local function is_active(seen)
  return seen ~= nil and seen.active > 0 and seen.active + active_within >= seen.connected
    and now - seen.connected <= offline
end

local function forget(user)
  redis.call('HDEL', state_key, user)
  redis.call('ZREM', connected_key, user)
  redis.call('ZREM', updates_key, user)
end

local function keep_for_long()
  for _, key in ipairs({ state_key, connected_key, updates_key, last_key }) do
    redis.call('EXPIRE', key, retention)
  end
end

local function store(user, seen, is_news)
  if is_news then
    seen.announced = now
    local id = next_id()
    redis.call('SET', last_key, id)
    redis.call('ZADD', updates_key, id, user)
    -- A few of those who have not been seen for very long, if there are any.
    for _, old in ipairs(redis.call('ZRANGEBYSCORE', connected_key, '-inf', now - retention, 'LIMIT', 0, 10)) do
      forget(old)
    end
  end
  local record = table.concat({ exact(seen.active), exact(seen.connected), exact(seen.announced), seen.hidden and 1 or 0 }, ' ')
  redis.call('HSET', state_key, user, record)
  redis.call('ZADD', connected_key, seen.connected, user)
  if is_news then keep_for_long() end
  return record
end
