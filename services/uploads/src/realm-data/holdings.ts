import { emojiTopic } from '@parley/contracts/uploads/topics'
import type { Holdings } from '@parley/kit/holdings'
import { idOf, realmPathOf } from '@parley/kit/rewritings'
import { objectKey } from '../files/name-rules.ts'
import { dropObjects } from '../objects/loose-store.ts'
import type { Deps } from '../room.ts'
import { onlyOfArchivedMessages, onlyWithArchivedMessages } from './archived-files.ts'
import { fileEntry, imageEntry, imageKeyOf, imagePathOf } from './file-entries.ts'
import { settle } from './settle.ts'

/** What uploads holds of organizations: its tables once, and their objects. */
export const holdings: Holdings<Deps> = {
  service: 'uploads',
  serverWide: [],
  tables: [
    // Objects on their way; those of files are named by the organization. Deleted last: what else ends goes through it.
    {
      table: 'loose_objects',
      belongs: { where: `starts_with(t.key, 'files/' || ($1::bigint)::text || '/')` },
      key: ['key'],
      archived: 'never',
    },
    { table: 'realm_usage', belongs: { realm: 'realm_id' }, key: ['realm_id'], archived: 'never' },
    {
      table: 'attachments',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: { public: true },
      gives: [{ kind: 'attachment', column: 'id' }],
      rewrites: { owner_id: idOf('user'), path_id: realmPathOf },
      narrow: onlyWithArchivedMessages,
      files: async (rows, { store }) => {
        const found = rows.map(({ id, path_id }) =>
          fileEntry(store, `files/${id}`, objectKey(path_id as string)),
        )
        return (await Promise.all(found)).filter((file) => file !== undefined)
      },
      release: (rows, { sql }) =>
        dropObjects(
          sql,
          rows.map(({ path_id }) => objectKey(path_id as string)),
        ),
    },
    {
      table: 'attachment_messages',
      belongs: { column: 'attachment_id', of: 'attachments' },
      key: ['attachment_id', 'message_id'],
      archived: { public: true },
      rewrites: { attachment_id: idOf('attachment'), message_id: idOf('message') },
      narrow: onlyOfArchivedMessages,
    },
    {
      table: 'thumbnails',
      belongs: { column: 'attachment_id', of: 'attachments' },
      key: ['attachment_id', 'format'],
      // They are made again when they are asked for.
      archived: 'never',
      release: (rows, { sql }) => dropObjects(sql, keysIn(rows, 'object_key')),
    },
    {
      table: 'resumable_uploads',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: 'never',
      release: (rows, { sql }) =>
        dropObjects(sql, [...keysIn(rows, 'object_key'), ...keysIn(rows, 'tail_key')]),
    },
    {
      table: 'resumable_parts',
      belongs: { column: 'upload_id', of: 'resumable_uploads' },
      key: ['upload_id', 'number'],
      archived: 'never',
    },
    {
      table: 'public_images',
      belongs: { where: `starts_with(t.path, ($1::bigint)::text || '/')` },
      key: ['path'],
      archived: { public: true },
      secret: ['object_key', 'doubted_since'],
      rewrites: { path: imagePathOf },
      complete: async (rows) => rows.map((row) => ({ ...row, object_key: imageKeyOf(row.path as string) })),
      files: async (rows, { store, database }) => {
        const paths = rows.map(({ path }) => path as string)
        const keys = await database.sql<{ path: string; object_key: string }[]>`
          SELECT path, object_key FROM public_images WHERE path = ANY (${paths}::text[])`
        const found = keys.map(({ path, object_key }) => fileEntry(store, imageEntry(path), object_key))
        return (await Promise.all(found)).filter((file) => file !== undefined)
      },
      release: (rows, { sql }) =>
        dropObjects(
          sql,
          rows.map(({ object_key }) => object_key as string),
        ),
    },
    {
      table: 'realm_emoji',
      belongs: { realm: 'realm_id' },
      key: ['id'],
      archived: { public: true },
      gives: [{ kind: 'emoji', column: 'id' }],
      rewrites: { author_id: idOf('user') },
      release: async (rows, tx) => {
        for (const { id } of rows) tx.publish(emojiTopic, id as number, null)
      },
    },
  ],
  elsewhere: [
    {
      what: 'files in the object store',
      purge: async (realmId, { store }) => {
        for (;;) {
          const keys = await some(store.list(`files/${realmId}/`), 1000)
          if (keys.length === 0) return
          await store.delete(keys)
        }
      },
      count: async (realmId, { store }) => (await some(store.list(`files/${realmId}/`), 1000)).length,
    },
  ],
  settle,
}

const keysIn = (rows: readonly Record<string, unknown>[], column: string): string[] =>
  rows.map((row) => row[column] as string | null).filter((key) => key !== null)

const some = async (keys: AsyncIterable<string>, most: number): Promise<string[]> => {
  const found: string[] = []
  for await (const key of keys) {
    found.push(key)
    if (found.length === most) break
  }
  return found
}
