import { type PersonalFact, type RealmFact, systemGroupNames } from '@parley/contracts/identity/topics'
import { type OwnDatabase, ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isHidden, saveStatus, storePresenceEnabled } from '../statuses/status-store.ts'
import { personalChoices } from './personal-choices.ts'
import { realmRules } from './realm-rules.ts'

describe('choices about typing', () => {
  const fact = (settings: PersonalFact['settings']): PersonalFact => ({
    id: 5,
    realm_id: 1,
    settings,
    alert_words: [],
    muted_user_ids: [],
    version: 1,
  })

  it('are all yes until somebody says no, and again after that', () => {
    const choices = personalChoices()
    const usual = choices.of(5)
    expect(Object.values(usual)).toEqual([true, true, true])
    choices.learn(fact({ receives_typing_notifications: false, presence_enabled: false }))
    expect(choices.of(5)).toEqual({ ...usual, receives_typing_notifications: false })
    expect(choices.of(6)).toEqual(usual)
    choices.learn(fact({ receives_typing_notifications: true }))
    expect(choices.of(5)).toEqual(usual)
  })
})

describe('rules of an organization', () => {
  const system_groups = Object.fromEntries(
    systemGroupNames.map((name, id) => [name, id + 10]),
  ) as RealmFact['system_groups']
  const fact = (settings: NonNullable<RealmFact['settings']>): RealmFact => ({
    id: 1,
    subdomain: 'x',
    name: 'X',
    uuid: 'u',
    is_active: true,
    settings,
    system_groups,
    version: 1,
  })

  it('follow from its settings', () => {
    const rules = realmRules()
    const usual = { isPresenceDisabled: false, areGuestsLimited: false }
    expect(rules.of(1)).toEqual(usual)
    rules.learn(fact({ presence_disabled: true, can_access_all_users_group: system_groups['role:everyone'] }))
    expect(rules.of(1)).toEqual({ ...usual, isPresenceDisabled: true })
    rules.learn(fact({ can_access_all_users_group: system_groups['role:members'] }))
    expect(rules.of(1)).toEqual({ ...usual, areGuestsLimited: true })
    rules.learn(fact({}))
    expect(rules.of(1)).toEqual(usual)
  })
})

describe('presence turned off in the settings', () => {
  let own: OwnDatabase
  beforeAll(async () => {
    own = await ownDatabase('presence')
  })
  afterAll(() => own.drop())

  it('hides like being away, each on its own, and is news only when something changes', async () => {
    const { sql } = own.database
    const [realm, user] = [1, 9]
    const steps: [change: () => Promise<unknown>, answer: unknown, isHiddenThen: boolean][] = [
      [() => storePresenceEnabled(sql, realm, user, true), undefined, false],
      [() => storePresenceEnabled(sql, realm, user, false), true, true],
      [() => storePresenceEnabled(sql, realm, user, false), undefined, true],
      [() => saveStatus(sql, realm, user, { away: true }), false, true],
      [() => storePresenceEnabled(sql, realm, user, true), undefined, true],
      [() => saveStatus(sql, realm, user, { away: false }), true, false],
      [() => storePresenceEnabled(sql, realm, user, false), true, true],
      [() => storePresenceEnabled(sql, realm, user, true), false, false],
    ]
    for (const [step, [change, answer, isHiddenThen]] of steps.entries()) {
      expect([step, await change(), await isHidden(sql, user)]).toEqual([step, answer, isHiddenThen])
    }
  })
})
