import { changeRealmPicture, type RealmPicture } from '@parley/contracts/identity/realm-pictures'
import { doubtPictures, hidePictures, keepPictures, showPictures } from '../images/public-image-store.ts'
import type { Deps } from '../room.ts'
import { realmPicturePath, wishFor } from './realm-picture-rules.ts'

/**
 * Shows another picture of an organization. First the picture, which is doubted (`settlePictures`), then its new address.
 *
 * @returns that.
 */
export const putPicture = async (
  deps: Deps,
  realm_id: number,
  picture: RealmPicture,
  image: Buffer,
): Promise<string> => {
  const { pictures } = await deps.workshop.draw(image, [wishFor(picture)])
  const path = realmPicturePath(realm_id, picture)
  const kept = await keepPictures(deps, [{ path, picture: pictures[0]!, type: 'image/png' }])
  await deps.database.transaction(async ({ sql }) => {
    await showPictures(sql, kept)
    await doubtPictures(sql, [path])
  })
  return (await deps.ask(changeRealmPicture, { realm_id, picture, is_uploaded: true })).url
}

/** Goes back to the usual picture. @returns its address. */
export const takePicture = async (deps: Deps, realm_id: number, picture: RealmPicture): Promise<string> => {
  const paths = [realmPicturePath(realm_id, picture)]
  // Whatever happens to this process in between, the picture goes when identity says that it went.
  await deps.database.transaction((tx) => doubtPictures(tx.sql, paths))
  const { url } = await deps.ask(changeRealmPicture, { realm_id, picture, is_uploaded: false })
  await deps.database.transaction((tx) => hidePictures(tx.sql, paths))
  return url
}
