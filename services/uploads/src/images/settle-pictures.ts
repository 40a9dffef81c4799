import type { Database } from '@parley/db'
import type { Ask, Running } from '@parley/kit'
import { ownedAvatars } from '../avatars/owned-avatars.ts'
import { repeating } from '../objects/repeating.ts'
import { ownedRealmPictures } from '../realm-pictures/owned-realm-pictures.ts'
import type { Log } from '../room.ts'
import { hidePictures, holdDoubted, trustPictures } from './public-image-store.ts'

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
 * Asks identity which doubted pictures are in use: an account that never came to be, or has uploaded none, has none here
 * either, and so has an organization.
 *
 * @returns how many were looked at.
 */
export const settlePictures = ({ database, ask }: Parts, seconds = patience): Promise<number> =>
  database.transaction(async ({ sql }) => {
    const held = await holdDoubted(sql, seconds, portion)
    const owned = new Set([...(await ownedAvatars(ask, held)), ...(await ownedRealmPictures(ask, held))])
    await trustPictures(sql, [...owned])
    await hidePictures(
      sql,
      held.filter((path) => !owned.has(path)),
    )
    return held.length
  })

export const settlingPictures = (parts: Parts & { log: Log }): Running =>
  repeating({ pause, log: parts.log, round: async () => (await settlePictures(parts)) === portion })
