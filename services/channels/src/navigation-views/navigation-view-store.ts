import type { NavigationView } from '@parley/contracts/objects/navigation-view'
import type { Queries } from '../room.ts'

/** In the order of their making. */
export const navigationViewsOf = (sql: Queries, userId: number): Promise<NavigationView[]> =>
  sql<NavigationView[]>`
    SELECT fragment, is_pinned, name FROM navigation_views WHERE user_id = ${userId} ORDER BY id`

export const countNavigationViews = async (sql: Queries, userId: number): Promise<number> => {
  const [row] = await sql<[{ count: number }]>`
    SELECT count(*)::int AS count FROM navigation_views WHERE user_id = ${userId}`
  return row.count
}

/** @returns false when the user has one of that fragment, or of that name. */
export const insertNavigationView = async (
  sql: Queries,
  userId: number,
  view: NavigationView,
): Promise<boolean> => {
  const made = await sql`
    INSERT INTO navigation_views (user_id, fragment, is_pinned, name)
    VALUES (${userId}, ${view.fragment}, ${view.is_pinned}, ${view.name})
    ON CONFLICT DO NOTHING`
  return made.count > 0
}

/** Holds the user's view against other changes until the end of the transaction. */
export const lockNavigationView = async (
  sql: Queries,
  userId: number,
  fragment: string,
): Promise<NavigationView | undefined> => {
  const [view] = await sql<NavigationView[]>`
    SELECT fragment, is_pinned, name FROM navigation_views
    WHERE user_id = ${userId} AND fragment = ${fragment} FOR UPDATE`
  return view
}

/** @returns false when another view of the user has that name. */
export const storeNavigationView = async (
  sql: Queries,
  userId: number,
  view: NavigationView,
): Promise<boolean> => {
  const [taken] = await sql`
    SELECT FROM navigation_views
    WHERE user_id = ${userId} AND name = ${view.name} AND fragment <> ${view.fragment}`
  if (taken !== undefined) return false
  await sql`
    UPDATE navigation_views SET is_pinned = ${view.is_pinned}, name = ${view.name}
    WHERE user_id = ${userId} AND fragment = ${view.fragment}`
  return true
}

/** @returns whether there was one. */
export const removeNavigationView = async (
  sql: Queries,
  userId: number,
  fragment: string,
): Promise<boolean> =>
  (await sql`DELETE FROM navigation_views WHERE user_id = ${userId} AND fragment = ${fragment}`).count > 0

/** One change of a user's views at a time, so that two never take one name. To be called first. */
export const lockNavigationViews = async (sql: Queries, userId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`navigation views of ${userId}`}, 0))`
}
