-- What changed after a change, oldest first: the newest ID, then user, ID and record of each. Arguments: the ID, how many.
local after, most = ARGV[5], ARGV[6]
local found = redis.call('ZRANGEBYSCORE', updates_key, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
local answer = { newest_id() }
for at = 1, #found, 2 do
  local record = redis.call('HGET', state_key, found[at])
  if record then
    answer[#answer + 1] = found[at]
    answer[#answer + 1] = exact(tonumber(found[at + 1]))
    answer[#answer + 1] = record
  end
end
return answer
