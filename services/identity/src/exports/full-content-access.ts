import type { Queries } from '../room.ts'

/** Whether owners may have everything that was ever written in their organization; operators decide that. */
export const hasFullContentAccess = async (sql: Queries, realmId: number): Promise<boolean> => {
  const [realm] = await sql<{ given: boolean }[]>`
    SELECT owner_full_content_access AS given FROM realms WHERE id = ${realmId}`
  return realm?.given ?? false
}

export const storeFullContentAccess = async (
  sql: Queries,
  realmId: number,
  isGiven: boolean,
): Promise<void> => {
  await sql`UPDATE realms SET owner_full_content_access = ${isGiven} WHERE id = ${realmId}`
}
