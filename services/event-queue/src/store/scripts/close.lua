-- Closes queues.
--   ARGV[2] JSON: [queue, owner token or false for whoever owns it]...
-- Answers the numbers of those that were there and are closed now.
local closed = {}
for _, request in ipairs(cjson.decode(ARGV[2])) do
  local queue, token = request[1], request[2]
  local owner = redis.call('HGET', owners, queue)
  if owner and (not token or string.sub(owner, string.find(owner, ' ', 1, true) + 1) == token) and drop(queue) then
    closed[#closed + 1] = queue
  end
end
announceClosed(closed)
return closed
