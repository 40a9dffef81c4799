-- Closes the queues that a user has too many of: those that were not polled for longest.
--   ARGV[2] JSON: numbers of all queues of the user
--   ARGV[3] how many may stay
-- Answers the numbers of those that were there and are closed now.
local held = {}
for _, queue in ipairs(cjson.decode(ARGV[2])) do
  local owner = redis.call('HGET', owners, queue)
  if owner then
    held[#held + 1] = { queue, tonumber(string.sub(owner, 1, string.find(owner, ' ', 1, true) - 1)) }
  end
end
table.sort(held, function(one, other)
  if one[2] == other[2] then
    return one[1] < other[1]
  end
  return one[2] < other[2]
end)
local closed = {}
for i = 1, #held - tonumber(ARGV[3]) do
  if drop(held[i][1]) then
    closed[#closed + 1] = held[i][1]
  end
end
announceClosed(closed)
return closed
