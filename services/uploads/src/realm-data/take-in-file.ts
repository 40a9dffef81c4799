import type { BlobStore } from '@parley/blob'
import { takeInFile as contract } from '@parley/contracts/uploads/archive-questions'
import { shifted } from '@parley/kit/rewritings'
import { objectKey } from '../files/name-rules.ts'
import { internal, type Queries } from '../room.ts'
import { imagePathOf } from './file-entries.ts'

interface Place {
  readonly key: string
  readonly type: string
}

const placeOfFile = async (sql: Queries, realmId: number, id: number): Promise<Place | undefined> => {
  const [row] = await sql<{ path_id: string; content_type: string }[]>`
    SELECT path_id, content_type FROM attachments WHERE id = ${id} AND realm_id = ${realmId}`
  return row && { key: objectKey(row.path_id), type: row.content_type }
}

const placeOfImage = async (sql: Queries, path: string): Promise<Place | undefined> => {
  const [row] = await sql<{ object_key: string; content_type: string }[]>`
    SELECT object_key, content_type FROM public_images WHERE path = ${path}`
  return row && { key: row.object_key, type: row.content_type }
}

const copy = async (
  store: BlobStore,
  archive: { key: string; offset: number; size: number },
  place: Place,
): Promise<void> => {
  const there = await store.facts(place.key)
  if (there?.size === archive.size) return
  const content =
    archive.size === 0
      ? Buffer.alloc(0)
      : await store.get(archive.key, { offset: archive.offset, length: archive.size })
  if (content === undefined) throw new Error(`the archive ${archive.key} is gone`)
  await store.put(place.key, content, { contentType: place.type })
}

export const takeInFile = internal(contract, async ({ input, deps }) => {
  const { realm_id, entry, archive, shifts, origin } = input
  const { sql } = deps.database
  const [folder, ...rest] = entry.split('/')
  const name = rest.join('/')
  const place =
    folder === 'files'
      ? await placeOfFile(sql, realm_id, shifted(shifts, 'attachment', Number(name)))
      : await placeOfImage(
          sql,
          imagePathOf(`${origin.realm_id}/${name}`, { realmId: realm_id, origin, shifts } as never) as string,
        )
  if (place !== undefined) await copy(deps.store, archive, place)
  return {}
})
