import { notLoggedIn } from '@parley/contracts'
import { listUsers as contract } from '@parley/contracts/identity/users'
import type { User } from '@parley/contracts/objects/user'
import { PiecedReply } from '@parley/kit'
import { knownTo } from '../acquaintances/known-accounts.ts'
import { realmById } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { seenUsers } from './seen-users.ts'
import { areUsersShownToAnybody, isShownToAnybody, seenFromOutside } from './spectators.ts'
import { type UserRow, usersAfter } from './user-store.ts'

/** Accounts read, and sent, at a time. */
const pageSize = 500

/** IDs that belong to nobody the caller can access are left out. */
export const listUsers = endpoint(contract, async ({ caller, params, deps }) => {
  const { sql } = deps.database
  const { realm, user } = caller
  let present: (page: readonly UserRow[]) => User[] | Promise<User[]>
  if (user === null) {
    const row = await realmById(sql, realm.id)
    if (row === undefined || !isShownToAnybody(row)) throw notLoggedIn()
    const areShown = areUsersShownToAnybody(row)
    present = (page) => (areShown ? page.map((one) => seenFromOutside(one, params)) : [])
  } else {
    const viewer = { ...caller, user }
    const knows = await knownTo(sql, viewer)
    present = (page) => seenUsers(sql, viewer, knows === undefined ? page : page.filter(knows), params)
  }

  async function* pieces() {
    let text = '{"result":"success","msg":"","members":['
    let separator = ''
    let after = 0
    for (;;) {
      const page = await usersAfter(sql, realm.id, after, pageSize, params.user_ids)
      for (const one of await present(page)) {
        text += separator + JSON.stringify(one)
        separator = ','
      }
      if (page.length < pageSize) break
      if (text !== '') yield text
      text = ''
      after = page.at(-1)!.id
    }
    yield `${text}]}`
  }
  return new PiecedReply(pieces())
})
