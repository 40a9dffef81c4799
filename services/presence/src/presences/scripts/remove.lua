-- Forgets an account that has ended; a ping that is still under way is not taken. Arguments: user, for how many seconds.
local user, seconds = ARGV[5], ARGV[6]
redis.call('SET', prefix .. 'gone:' .. user, '1', 'EX', seconds)
forget(user)
return 1
