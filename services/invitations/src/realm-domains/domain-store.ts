import type { RealmDomain } from '@parley/contracts/objects/realm-domain'
import type { Queries } from '../room.ts'

/** Oldest first. */
export const domainsOfRealm = async (sql: Queries, realmId: number): Promise<RealmDomain[]> => [
  ...(await sql<RealmDomain[]>`
    SELECT domain, allow_subdomains FROM realm_domains WHERE realm_id = ${realmId} ORDER BY id`),
]

/** @returns the new entry's ID, or undefined when the organization has the domain already. */
export const insertDomain = async (
  sql: Queries,
  realmId: number,
  { domain, allow_subdomains }: RealmDomain,
): Promise<number | undefined> => {
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO realm_domains (realm_id, domain, allow_subdomains)
    VALUES (${realmId}, ${domain}, ${allow_subdomains})
    ON CONFLICT DO NOTHING RETURNING id`
  return made?.id
}

/** Locks the entry until the end of the transaction; undefined when there is none. */
export const lockDomain = async (
  sql: Queries,
  realmId: number,
  domain: string,
): Promise<RealmDomain | undefined> => {
  const [found] = await sql<RealmDomain[]>`
    SELECT domain, allow_subdomains FROM realm_domains
    WHERE realm_id = ${realmId} AND domain = ${domain} FOR UPDATE`
  return found
}

export const storeDomain = async (sql: Queries, realmId: number, changed: RealmDomain): Promise<void> => {
  await sql`
    UPDATE realm_domains SET allow_subdomains = ${changed.allow_subdomains}
    WHERE realm_id = ${realmId} AND domain = ${changed.domain}`
}

/** @returns whether there was such an entry. */
export const deleteDomain = async (sql: Queries, realmId: number, domain: string): Promise<boolean> =>
  (await sql`DELETE FROM realm_domains WHERE realm_id = ${realmId} AND domain = ${domain}`).count > 0
