import type { Audience } from '@parley/contracts'
import type { Queries } from '../room.ts'
import type { UserRow } from '../users/user-store.ts'
import { areGuestsLimited, viewerIdsOf } from './acquaintance-store.ts'

/** Who is told what changes of an account: everyone who may know it. */
export const audienceOf = async (
  sql: Queries,
  { id, realm_id, bot_type }: Pick<UserRow, 'id' | 'realm_id' | 'bot_type'>,
): Promise<Audience> =>
  bot_type === null && (await areGuestsLimited(sql, realm_id))
    ? { realm: realm_id, users: await viewerIdsOf(sql, realm_id, id) }
    : { realm: realm_id, everyone: true }
