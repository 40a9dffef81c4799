import type { RealmPicture } from '@parley/contracts/identity/realm-pictures'
import type { PictureWish } from '../images/image-job.ts'

/** Pixels of a logo: it stands in a bar above everything else. */
const logo = { width: 800, height: 100, fit: 'inside', format: 'png', animated: false } as const

/** How a picture of an organization is drawn. */
export const wishFor = (picture: RealmPicture): PictureWish =>
  picture === 'icon' ? { width: 100, height: 100, fit: 'cover', format: 'png', animated: false } : logo

/** Below `/user_avatars/`, as identity tells it. */
export const realmPicturePath = (realmId: number, picture: RealmPicture): string =>
  `${realmId}/realm/${picture}.png`

const pictureFile = /^(\d{1,15})\/realm\/(icon|logo|night_logo)\.png$/

/** Whose picture, and which, stands at a path; undefined when it is none of an organization. */
export const realmPictureAt = (path: string): { realm_id: number; picture: RealmPicture } | undefined => {
  const [, realm, picture] = pictureFile.exec(path) ?? []
  return realm === undefined ? undefined : { realm_id: Number(realm), picture: picture as RealmPicture }
}

export const logoAt = (isNight: boolean): RealmPicture => (isNight ? 'night_logo' : 'logo')
