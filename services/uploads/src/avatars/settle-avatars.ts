import { findUsers } from '@parley/contracts/identity/internals'
import type { Database } from '@parley/db'
import type { Ask, Running } from '@parley/kit'
import { hidePictures, holdDoubted, trustPictures } from '../images/public-image-store.ts'
import { repeating } from '../objects/repeating.ts'
import type { Log } from '../room.ts'
import { avatarAt } from './avatar-rules.ts'

/** Pictures of one round. */
const portion = 100
/** Milliseconds between rounds. */
const pause = 60_000
/** Seconds after which no request of identity is under way any more that showed a picture. */
const patience = 300

interface Parts {
  readonly database: Database
  readonly ask: Ask
}

/**
 * Asks identity whose doubted pictures are theirs: an account that never came to be, or has uploaded none, has none here
 * either.
 *
 * @returns how many were looked at.
 */
export const settleAvatars = ({ database, ask }: Parts, seconds = patience): Promise<number> =>
  database.transaction(async ({ sql }) => {
    const held = await holdDoubted(sql, seconds, portion)
    const avatars = held.map((path) => {
      const [realm, file] = path.split('/')
      return { path, realm_id: Number(realm), user_id: avatarAt(file!)!.userId }
    })
    for (const [realm_id, pictures] of Map.groupBy(avatars, (avatar) => avatar.realm_id)) {
      const ids = [...new Set(pictures.map(({ user_id }) => user_id))]
      const { users } = await ask(findUsers, { realm_id, ids, emails: [] })
      const having = new Set(users.filter((user) => user.avatar_source === 'U').map(({ id }) => id))
      const sides = Map.groupBy(pictures, ({ user_id }) => having.has(user_id))
      const pathsOf = (side: boolean) => (sides.get(side) ?? []).map(({ path }) => path)
      await trustPictures(sql, pathsOf(true))
      await hidePictures(sql, pathsOf(false))
    }
    return held.length
  })

export const settlingAvatars = (parts: Parts & { log: Log }): Running =>
  repeating({ pause, log: parts.log, round: async () => (await settleAvatars(parts)) === portion })
