-- Counts a call if every rule admits it. KEYS[1]: list of the counted calls, newest first, in milliseconds.
-- ARGV: count and milliseconds of each rule.
-- Returns admitted (1 or 0), and of the rule nearest to its limit: count, remaining, wait, reset.
local key = KEYS[1]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local longest, largest = 0, 0
for i = 1, #ARGV, 2 do
  largest = math.max(largest, tonumber(ARGV[i]))
  longest = math.max(longest, tonumber(ARGV[i + 1]))
end

local oldest = tonumber(redis.call('LINDEX', key, -1))
while oldest and now - oldest >= longest do
  redis.call('RPOP', key)
  oldest = tonumber(redis.call('LINDEX', key, -1))
end
local length = redis.call('LLEN', key)

local function at(index)
  return tonumber(redis.call('LINDEX', key, index))
end

-- How many calls are younger than `window`.
local function counted(window)
  if window == longest then return length end
  local low, high = 0, length
  while low < high do
    local middle = math.floor((low + high) / 2)
    if now - at(middle) < window then low = middle + 1 else high = middle end
  end
  return low
end

local nearest
for i = 1, #ARGV, 2 do
  local count, window = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local used = counted(window)
  local rule = { 1, count, count - used - 1, 0, now + window }
  if used > 0 then rule[5] = at(used - 1) + window end
  if used >= count then
    rule[1], rule[3], rule[4] = 0, 0, at(count - 1) + window - now
  elseif rule[3] == 0 then
    rule[4] = rule[5] - now
  end
  if not nearest or rule[1] < nearest[1]
    or (rule[1] == nearest[1] and (rule[3] < nearest[3] or (rule[3] == nearest[3] and rule[4] > nearest[4]))) then
    nearest = rule
  end
end

if nearest[1] == 1 then
  redis.call('LPUSH', key, now)
  redis.call('PEXPIRE', key, longest)
end
return nearest
