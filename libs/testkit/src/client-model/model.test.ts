import { clientEvents } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { differences } from './comparison.ts'
import { applyEvent, entries, entryKey } from './model.ts'

describe('the model of a client', () => {
  it('has an entry for every event that there is', () => {
    const missing = Object.values(clientEvents)
      .flat()
      .map(entryKey)
      .filter((key) => !Object.hasOwn(entries, key))
    expect(missing, 'add an entry in libs/testkit/src/client-model').toEqual([])
  })

  it('refuses what it does not know', () => {
    expect(() => applyEvent({}, { type: 'carrier_pigeon', op: 'land' })).toThrow('carrier_pigeon/land')
  })

  it('is not equal when anything but the order differs', () => {
    const state = { alert_words: ['a', 'b'], realm_users: [{ user_id: 1, full_name: 'A' }], queue_id: 'x' }
    expect(differences(state, { ...state, alert_words: ['b', 'a'], queue_id: 'y' })).toEqual([])
    expect(differences(state, { ...state, alert_words: ['a'] })).toHaveLength(1)
    const renamed = structuredClone(state)
    applyEvent(renamed, { type: 'realm_user', op: 'update', person: { user_id: 1, full_name: 'B' } })
    expect(differences(renamed, state)).toEqual([
      'state.realm_users.0.full_name: the model has "B", the truth is "A"',
    ])
  })
})
