-- Polls of one shard: acknowledges, and reads what is unread.
--   ARGV[2] most records to return per poll
--   ARGV[3] JSON: [queue, owner token, acknowledged event id or null, 1 to be given the entry]...
-- Answers {position, poll...}, each poll {status, acknowledged, entry or '', offset...}.
local position = tonumber(redis.call('HGET', state, 'position') or '-1')
local limit = tonumber(ARGV[2])
local second = now()

local function poll(queue, token, id, wantsEntry)
  local key = prefix .. 'q:' .. queue
  local owner = redis.call('HGET', owners, queue)
  if not owner then
    -- Opened in the log, perhaps, but not here yet.
    return { (position < 0 or queue >= position) and 'early' or 'unknown' }
  end
  local space = string.find(owner, ' ', 1, true)
  if string.sub(owner, space + 1) ~= token then
    return { 'unknown' }
  end
  if second - tonumber(string.sub(owner, 1, space - 1)) >= 5 then
    redis.call('HSET', owners, queue, second .. ' ' .. token)
  end

  local held = redis.call('LRANGE', key, 0, limit)
  local acknowledged = held[1]
  if acknowledged == 'new' then
    return { 'early' }
  end
  acknowledged = tonumber(acknowledged)

  local first = 2
  if id and id < acknowledged then
    return { 'pruned', acknowledged }
  end
  if id and id > acknowledged then
    local record, place = queue + 1 + math.floor(id / 1024), id % 1024
    if record >= position then
      return { 'ahead', acknowledged }
    end
    -- All records before the acknowledged one, and that one when its last event was acknowledged.
    local before = place >= 999 and record + 1 or record
    local found = place > 999
    local skipped = 0
    while true do
      while first <= #held and tonumber(held[first]) < before do
        found = found or tonumber(held[first]) == record
        first = first + 1
      end
      if first <= #held or #held <= limit then
        break
      end
      skipped = skipped + #held - 1
      release(held, 2, #held)
      redis.call('LTRIM', key, #held - 1, -1)
      held = redis.call('LRANGE', key, 0, limit)
      first = 2
    end
    found = found or (first <= #held and tonumber(held[first]) == record)
    if not found and skipped == 0 then
      return { 'never', acknowledged }
    end
    release(held, 2, first - 1)
    -- The last acknowledged record makes room for the acknowledged id, which stays the list's first element.
    if first > 2 then
      redis.call('LTRIM', key, first - 2, -1)
    end
    redis.call('LSET', key, 0, string.format('%.0f', id))
    acknowledged = id
  end

  local answer = { 'ok', string.format('%.0f', acknowledged), wantsEntry == 1 and redis.call('HGET', queues, queue) or '' }
  for i = first, #held do
    answer[#answer + 1] = held[i]
  end
  return answer
end

local answers = { position }
for _, request in ipairs(cjson.decode(ARGV[3])) do
  local id = request[3]
  if id == cjson.null then
    id = nil
  end
  answers[#answers + 1] = poll(request[1], request[2], id, request[4])
end
return answers
