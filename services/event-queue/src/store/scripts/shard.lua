-- What every script of a shard begins with. All keys of a shard carry the hash tag of its prefix, e.g. `{s3}`.
--
--   state    hash: position (offset of the next record), seq:<source> (highest number seen), swept, grace
--   queues   hash: queue number -> its entry (JSON)
--   owners   hash: queue number -> <second of the last poll> <owner token>
--   refs     hash: record offset -> number of queues that hold it
--   q:<n>    list: the acknowledged event id ('new' until the queue is settled), then offsets of unread records
--   p:<o>    text of the record at an offset, kept while a queue holds it

local prefix = ARGV[1]
local state, queues, owners, refs = prefix .. 'state', prefix .. 'queues', prefix .. 'owners', prefix .. 'refs'

-- One queue less holds these records.
local function release(offsets, first, last)
  for i = first, last do
    local offset = offsets[i]
    if redis.call('HINCRBY', refs, offset, -1) <= 0 then
      redis.call('HDEL', refs, offset)
      redis.call('DEL', prefix .. 'p:' .. offset)
    end
  end
end

-- Removes a queue with all that only it holds. False when there is none of this number.
local function drop(queue)
  local key = prefix .. 'q:' .. queue
  local held = redis.call('LRANGE', key, 0, -1)
  local known = redis.call('HDEL', owners, queue)
  redis.call('HDEL', queues, queue)
  if #held > 0 then
    redis.call('DEL', key)
    release(held, 2, #held)
  end
  return #held > 0 or known > 0
end

-- Tells every process that polls of these queues have nothing to wait for any more.
local function announceClosed(closed)
  if #closed > 0 then
    redis.call('PUBLISH', prefix .. 'wake', '{"closed":[' .. table.concat(closed, ',') .. ']}')
  end
end

local function now()
  return tonumber(redis.call('TIME')[1])
end
