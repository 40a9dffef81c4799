import type { Linkifier, Playground } from '@parley/contracts/objects/linkifier'
import type { Queries } from '../room.ts'

/** All linkifiers of an organization, in order. */
export const linkifiersOf = (sql: Queries, realmId: number): Promise<Linkifier[]> =>
  sql<Linkifier[]>`
    SELECT id, pattern, url_template, example_input, reverse_template, alternative_url_templates
    FROM linkifiers WHERE realm_id = ${realmId} ORDER BY "order", id`

type LinkifierTexts = Omit<Linkifier, 'id'>

export const insertLinkifier = async (
  sql: Queries,
  realmId: number,
  linkifier: LinkifierTexts,
): Promise<number> => {
  const { alternative_url_templates, ...texts } = linkifier
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO linkifiers (realm_id, "order", pattern, url_template, example_input, reverse_template,
      alternative_url_templates)
    VALUES (${realmId},
      (SELECT coalesce(max("order"), 0) + 1 FROM linkifiers WHERE realm_id = ${realmId}),
      ${texts.pattern}, ${texts.url_template}, ${texts.example_input}, ${texts.reverse_template},
      ${JSON.stringify(alternative_url_templates)}::text::jsonb)
    RETURNING id`
  return made!.id
}

export const changeLinkifier = async (sql: Queries, { id, ...linkifier }: Linkifier): Promise<void> => {
  const { alternative_url_templates, ...texts } = linkifier
  await sql`
    UPDATE linkifiers SET ${sql({ ...texts })},
      alternative_url_templates = ${JSON.stringify(alternative_url_templates)}::text::jsonb
    WHERE id = ${id}`
}

export const deleteLinkifier = async (sql: Queries, id: number): Promise<void> => {
  await sql`DELETE FROM linkifiers WHERE id = ${id}`
}

/** `ids` in their new order. */
export const orderLinkifiers = async (sql: Queries, ids: readonly number[]): Promise<void> => {
  await sql`
    UPDATE linkifiers SET "order" = wanted.place
    FROM unnest(${[...ids]}::bigint[]) WITH ORDINALITY AS wanted (id, place) WHERE linkifiers.id = wanted.id`
}

export const playgroundsOf = (sql: Queries, realmId: number): Promise<Playground[]> =>
  sql<Playground[]>`
    SELECT id, name, pygments_language, url_template FROM playgrounds WHERE realm_id = ${realmId} ORDER BY id`

/** @returns undefined when there is one of this name for the language. */
export const insertPlayground = async (
  sql: Queries,
  realmId: number,
  playground: Omit<Playground, 'id'>,
): Promise<number | undefined> => {
  const [made] = await sql<{ id: number }[]>`
    INSERT INTO playgrounds ${sql({ ...playground, realm_id: realmId })} ON CONFLICT DO NOTHING RETURNING id`
  return made?.id
}

/** @returns whether there was one. */
export const deletePlayground = async (sql: Queries, realmId: number, id: number): Promise<boolean> => {
  const gone = await sql`DELETE FROM playgrounds WHERE id = ${id} AND realm_id = ${realmId}`
  return gone.count > 0
}
