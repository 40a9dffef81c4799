import { realmPictureAddress } from '@parley/contracts/identity/realm-pictures'
import type { Ask } from '@parley/kit'
import { realmPictureAt } from './realm-picture-rules.ts'

/** Those of some paths to which identity leads whoever asks for a picture of an organization. */
export const ownedRealmPictures = async (ask: Ask, paths: readonly string[]): Promise<string[]> => {
  const owned = paths.map(async (path) => {
    const picture = realmPictureAt(path)
    if (picture === undefined) return []
    const { url } = await ask(realmPictureAddress, picture)
    return url?.startsWith(`/user_avatars/${path}`) === true ? [path] : []
  })
  return (await Promise.all(owned)).flat()
}
