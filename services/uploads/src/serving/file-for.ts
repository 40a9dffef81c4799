import { type Caller, refuse } from '@parley/contracts'
import { mayHaveFile } from '../claims/may-have-file.ts'
import { type FileRow, fileAt } from '../files/file-store.ts'
import type { Deps } from '../room.ts'
import { fileNotFound } from './file-reply.ts'

/**
 * The file at a place, for whoever may have it; `path` is what comes after the organization.
 *
 * @throws ApiError RESOURCE_NOT_FOUND; ACCESS_DENIED for whoever has no account: they learn nothing, not even what exists.
 */
export const fileFor = async (
  { database: { sql }, ask }: Pick<Deps, 'database' | 'ask'>,
  caller: Caller,
  realmId: number,
  path: string,
): Promise<FileRow> => {
  const isOwn = realmId === caller.realm.id
  const file = isOwn ? await fileAt(sql, realmId, `${realmId}/${path}`) : undefined
  const userId = caller.user?.id ?? null
  if (file !== undefined && (await mayHaveFile({ sql, ask }, userId, file))) return file
  throw userId === null
    ? refuse('ACCESS_DENIED', 'You are not authorized to view this file.')
    : fileNotFound()
}
