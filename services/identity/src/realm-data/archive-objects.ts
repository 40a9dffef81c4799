import type { Deps } from '../room.ts'

/** Where the archives of an organization are in the object store. */
export const archiveFolder = (realmId: number): string => `exports/${realmId}/`

const first = async (keys: AsyncIterable<string>, most: number): Promise<string[]> => {
  const found: string[] = []
  for await (const key of keys) {
    found.push(key)
    if (found.length === most) break
  }
  return found
}

export const deleteArchives = async (realmId: number, { store }: Pick<Deps, 'store'>): Promise<void> => {
  const open = await store()
  for (;;) {
    const keys = await first(open.list(archiveFolder(realmId)), 1000)
    if (keys.length === 0) return
    await open.delete(keys)
  }
}

export const countArchives = async (realmId: number, { store }: Pick<Deps, 'store'>): Promise<number> =>
  (await first((await store()).list(archiveFolder(realmId)), 1000)).length
