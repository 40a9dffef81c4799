import { roles } from '@parley/contracts'
import { expect, it } from 'vitest'
import { Accounts } from './accounts.ts'

const queue = (more: object = {}) => ({ user: 1, realm: 7, all_public: false, ...more })
const fact = (more: object = {}) => ({ id: 1, is_active: true, role: roles.member, ...more })

it('refuses the queues of who is gone, and takes them when they are back', () => {
  const accounts = new Accounts()
  accounts.takeUser(fact({ is_active: false }))
  expect([accounts.refuses(queue()), accounts.refuses(queue({ user: 2 }))]).toEqual([true, false])
  accounts.takeUser(fact())
  accounts.takeRealm({ id: 7, is_active: false })
  expect(accounts.refuses(queue())).toBe(true)
})

it('refuses what was opened with a key that was replaced, whichever way the facts come', () => {
  const accounts = new Accounts()
  expect(accounts.refuses(queue({ key_version: 1 }))).toBe(false)
  accounts.takeUser(fact({ key_version: 3 }))
  accounts.takeUser(fact({ key_version: 2 }))
  expect([1, 2, 3, 4].map((key_version) => accounts.refuses(queue({ key_version })))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(accounts.refuses(queue())).toBe(false)
})

it('refuses a guest all public channels', () => {
  const accounts = new Accounts()
  accounts.takeUser(fact({ role: roles.guest }))
  expect([true, false].map((all_public) => accounts.refuses(queue({ all_public })))).toEqual([true, false])
})
