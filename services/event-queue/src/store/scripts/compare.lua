-- Which queues there are, unless they are as many as their owner remembers.
--   ARGV[2] how many the owner remembers
-- Answers {position or -1, how many there are, numbers of all of them when that is another number...}.
local position = tonumber(redis.call('HGET', state, 'position') or '-1')
local count = redis.call('HLEN', owners)
local answer = { position, count }
if count ~= tonumber(ARGV[2]) then
  for _, queue in ipairs(redis.call('HKEYS', owners)) do
    answer[#answer + 1] = tonumber(queue)
  end
end
return answer
