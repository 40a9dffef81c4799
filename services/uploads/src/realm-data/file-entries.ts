import { createHash } from 'node:crypto'
import type { BlobStore } from '@parley/blob'
import type { HeldFile, Rewriting } from '@parley/kit/holdings'
import { realmPathOf, shifted } from '@parley/kit/rewritings'

/** What a picture is called in an archive: its path below the organization's. */
export const imageEntry = (path: string): string => `images/${path.slice(path.indexOf('/') + 1)}`

/** Where a picture is kept that came with an archive; the same again when it is taken in again. */
export const imageKeyOf = (path: string): string =>
  `images/${createHash('sha256').update(path).digest('base64url')}`

/** An object as an entry of an archive; undefined when its bytes are gone. */
export const fileEntry = async (
  store: BlobStore,
  entry: string,
  key: string,
): Promise<HeldFile | undefined> => {
  const facts = await store.facts(key)
  if (facts === undefined) return undefined
  const read = async () => {
    const content = await store.get(key)
    if (content === undefined) throw new Error(`${key} went away while it was read`)
    return content
  }
  return { entry, size: facts.size, read }
}

/** Avatars are at paths made of the organization's and the account's IDs. */
export const imagePathOf: Rewriting = (value, context) => {
  const path = realmPathOf(value, context) as string
  return path.replace(
    /^(\d+\/)(\d{1,15})((?:-medium)?\.png)$/,
    (_, realm, id, rest) => `${realm}${shifted(context.shifts, 'user', Number(id))}${rest}`,
  )
}
