import type { Queries } from '../room.ts'

/** Hours for which somebody is remembered who does not ask again. */
const rememberedHours = 48

/** Remembers who listens to all public channels of an organization, and forgets who did not ask again. */
export const storeListeners = async (
  sql: Queries,
  realmId: number,
  userIds: readonly number[],
): Promise<void> => {
  await sql`
    INSERT INTO public_listeners (realm_id, user_id, until)
    SELECT ${realmId}, user_id, now() + make_interval(hours => ${rememberedHours})
    FROM unnest(${[...new Set(userIds)]}::bigint[]) AS listener(user_id)
    ON CONFLICT (realm_id, user_id) DO UPDATE SET until = excluded.until`
  await sql`DELETE FROM public_listeners WHERE realm_id = ${realmId} AND until < now()`
}
