import { alarm } from '@parley/bus/alarm'
import type { InputOf } from '@parley/contracts'
import { awaitNews as contract } from '@parley/contracts/channels/internals'
import { type Deps, internal, type Queries } from '../room.ts'
import { personalByIds } from './personal-store.ts'
import { realmById } from './realm-store.ts'
import { usersByIds } from './user-store.ts'

type Wanted = InputOf<typeof contract>
type News = Wanted['news']

/** How long an answer is worth waiting for. News takes some milliseconds; who waits longer has a server in trouble. */
const patience = 1500
/** So often is looked without having been rung for: a notification that was lost costs no more. */
const longestPause = 300

/** Whether the copies hold these states, or later ones. */
const haveCome = async (sql: Queries, news: News): Promise<boolean> => {
  const [row] = await sql<[{ missing: number }]>`
    SELECT count(*) AS missing
    FROM unnest(${news.map((one) => one.topic)}::text[], ${news.map((one) => one.id)}::bigint[],
      ${news.map((one) => one.version)}::bigint[]) AS n (topic, id, version)
    WHERE n.version > coalesce(CASE n.topic
      WHEN 'identity.users' THEN (SELECT u.version FROM users u WHERE u.id = n.id)
      WHEN 'identity.groups' THEN (SELECT g.version FROM user_groups g WHERE g.id = n.id)
      WHEN 'identity.personal' THEN (SELECT p.version FROM personal p WHERE p.user_id = n.id)
      WHEN 'identity.realms' THEN (SELECT r.version FROM realms r WHERE r.id = n.id)
    END, -1)`
  return row.missing === 0
}

/** What the copies hold may not have come to the memory of this process yet. */
const remember = async (deps: Deps, { realm_id, news }: Wanted): Promise<void> => {
  const { sql } = deps.database
  const of = (topic: News[number]['topic']): number[] =>
    news.filter((one) => one.topic === topic).map((one) => one.id)
  const [users, people] = [of('identity.users'), of('identity.personal')]
  if (users.length > 0) for (const user of await usersByIds(sql, realm_id, users)) deps.users.learn(user)
  if (people.length > 0) for (const fact of await personalByIds(sql, people)) deps.personal.learn(fact)
  if (of('identity.realms').length === 0) return
  const realm = await realmById(sql, realm_id)
  if (realm !== undefined) deps.realms.learn(realm)
}

export const awaitNews = internal(contract, async ({ input, deps }) => {
  const { database, newsBell } = deps
  const until = performance.now() + patience
  const { ring, wait } = alarm()
  // Before the first look: what is stored after it rings.
  const leave = newsBell.onRing(input.news, ring)
  try {
    while (!(await database.guard(haveCome(database.sql, input.news)))) {
      const left = until - performance.now()
      if (left <= 0) return { have_come: false }
      await wait(Math.min(left, longestPause))
    }
  } finally {
    leave()
  }
  await database.guard(remember(deps, input))
  return { have_come: true }
})
