-- Hides somebody (1) or shows them again (0), and answers what others see from now on. Arguments: user, which.
local user, hides = ARGV[5], ARGV[6] == '1'
local before = read(user)
local seen
if hides then
  -- Somebody who left before the others' patience ended.
  local left = now - offline - 10
  local connected = before and math.min(before.connected, left) or left
  seen = { active = before and math.max(0, math.min(before.active, connected - active_within - 1)) or 0, connected = connected, hidden = true }
else
  seen = { active = now, connected = now, hidden = false }
end
return store(user, seen, true)
