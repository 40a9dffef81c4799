-- One batch of the shard's log: opens queues, hands records to queues, settles queues, and stores the position, as
-- one atom.
--   ARGV[2] the wake-up, published as it is (JSON): from, to, groups = [[offsets], [queues]]...,
--           offsets (of the records in ARGV[7...]), settled (queue numbers)
--   ARGV[3] most unread records of a queue
--   ARGV[4] JSON: queues that are opened: [number, entry, owner token, acknowledged]...
--   ARGV[5] JSON: queues that are settled: [number, entry, offsets that the client's state contains]...
--   ARGV[6] JSON: source, sequence number, ...
--   ARGV[7...] texts of records
-- Answers {position stored, or '' for none} when the batch does not begin there, else
-- {'', JSON numbers of queues that are gone, JSON numbers of queues that were closed for being full}.
local plan = cjson.decode(ARGV[2])
local position = redis.call('HGET', state, 'position')
if not position or tonumber(position) ~= plan.from then
  return { position or 'none' }
end

local second = now()
for _, opened in ipairs(cjson.decode(ARGV[4])) do
  local key = prefix .. 'q:' .. opened[1]
  redis.call('HSET', queues, opened[1], opened[2])
  redis.call('HSET', owners, opened[1], second .. ' ' .. opened[3])
  redis.call('DEL', key)
  redis.call('RPUSH', key, opened[4])
end

local limit = tonumber(ARGV[3]) + 1
local holders, gone, full = {}, {}, {}
for _, group in ipairs(plan.groups) do
  local offsets, numbers = group[1], group[2]
  local pushed = 0
  for i = 1, #numbers do
    -- A queue's list always has its first element: one that is not there was closed by another process.
    local length = redis.call('RPUSHX', prefix .. 'q:' .. numbers[i], unpack(offsets))
    if length == 0 then
      gone[#gone + 1] = numbers[i]
    else
      pushed = pushed + 1
      if length > limit then
        full[#full + 1] = numbers[i]
      end
    end
  end
  for i = 1, #offsets do
    holders[offsets[i]] = (holders[offsets[i]] or 0) + pushed
  end
end
for i, offset in ipairs(plan.offsets) do
  if (holders[offset] or 0) > 0 then
    redis.call('SET', prefix .. 'p:' .. offset, ARGV[6 + i])
    redis.call('HSET', refs, offset, holders[offset])
  end
end

for _, settled in ipairs(cjson.decode(ARGV[5])) do
  local key = prefix .. 'q:' .. settled[1]
  if redis.call('LINDEX', key, 0) == 'new' then
    redis.call('HSET', queues, settled[1], settled[2])
    redis.call('LSET', key, 0, -1)
    local contained = settled[3]
    for i = 1, #contained do
      if redis.call('LREM', key, 1, contained[i]) > 0 then
        release(contained, i, i)
      end
    end
  end
end

for i = 1, #full do
  drop(full[i])
end

local sequences = cjson.decode(ARGV[6])
for i = 1, #sequences, 2 do
  redis.call('HSET', state, 'seq:' .. sequences[i], sequences[i + 1])
end
redis.call('HSET', state, 'position', plan.to)

if #ARGV > 6 then
  redis.call('PUBLISH', prefix .. 'wake', ARGV[2] .. '\30' .. table.concat(ARGV, '\30', 7))
else
  redis.call('PUBLISH', prefix .. 'wake', ARGV[2])
end
announceClosed(full)
return { '', '[' .. table.concat(gone, ',') .. ']', '[' .. table.concat(full, ',') .. ']' }
