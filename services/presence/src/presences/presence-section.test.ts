import { EngineUnavailableError } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import type { Deps } from '../room.ts'
import { realmRules } from '../settings/realm-rules.ts'
import { PresenceBoards } from './presence-boards.ts'
import { presenceSection } from './presence-section.ts'

const readWhile = (failure: Error) => {
  const boards = new PresenceBoards({ changes: () => Promise.reject(failure) })
  return presenceSection.read({
    caller: { realm: { id: 7 } },
    options: { presence_history_limit_days: 14, slim_presence: true },
    deps: { boards, rules: realmRules(), areLimitsKept: false } as unknown as Deps,
  } as never)
}

describe('the state of a registration', () => {
  it('shows nobody while Redis is away, and is not refused for that', async () => {
    expect(await readWhile(new EngineUnavailableError('redis'))).toMatchObject({
      presences: {},
      presence_last_update_id: -1,
    })
  })

  it('hides no other failure', async () => {
    await expect(readWhile(new Error('a mistake of ours'))).rejects.toThrow('a mistake of ours')
  })
})
