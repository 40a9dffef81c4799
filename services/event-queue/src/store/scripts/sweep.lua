-- Looks at queues that may have been idle for too long.
--   ARGV[2] JSON: [queue, seconds that it may be idle]...
--   ARGV[3] seconds between sweeps after which clients may have been unable to poll
-- Answers {position or -1, now, queue, second when it is due (0: closed), ...}.
local second = now()
local swept = tonumber(redis.call('HGET', state, 'swept') or '0')
if second - swept > tonumber(ARGV[3]) then
  redis.call('HSET', state, 'grace', second)
end
redis.call('HSET', state, 'swept', second)
local grace = tonumber(redis.call('HGET', state, 'grace') or '0')

local answer, closed = { tonumber(redis.call('HGET', state, 'position') or '-1'), second }, {}
for _, request in ipairs(cjson.decode(ARGV[2])) do
  local queue, idle = request[1], request[2]
  local owner = redis.call('HGET', owners, queue)
  local due = 0
  if owner then
    local polled = tonumber(string.sub(owner, 1, string.find(owner, ' ', 1, true) - 1))
    due = math.max(polled, grace) + idle
    if due <= second then
      drop(queue)
      closed[#closed + 1] = queue
      due = 0
    end
  end
  answer[#answer + 1] = queue
  answer[#answer + 1] = due
end
announceClosed(closed)
return answer
