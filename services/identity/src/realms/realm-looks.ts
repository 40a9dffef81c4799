import { createHash } from 'node:crypto'
import type { RealmPicture } from '@parley/contracts/identity/realm-pictures'
import type { RealmRow } from './realm-store.ts'
import type { JsonValue } from './settings-in-force.ts'

/** An uploaded picture's version, which changes with it; null while there is none. */
export type Looks = { [picture in RealmPicture]?: { version: number; is_uploaded: boolean } }

/** A generated picture of the avatar provider's, the organization's own. */
const generatedIcon = (uuid: string): string =>
  `https://secure.gravatar.com/avatar/${createHash('md5').update(uuid).digest('hex')}?d=identicon`

export const storedLooks = ({ settings }: Pick<RealmRow, 'settings'>): Looks =>
  (settings.looks ?? {}) as Looks

type Seen = Pick<RealmRow, 'id' | 'uuid' | 'settings'>

/** Where a picture of the organization is: its own, or the generated one, which stands for logos too. */
export const pictureUrl = (realm: Seen, picture: RealmPicture): string => {
  const look = storedLooks(realm)[picture]
  if (look?.is_uploaded !== true) return generatedIcon(realm.uuid)
  return `/user_avatars/${realm.id}/realm/${picture}.png?version=${look.version}`
}

const isUploaded = (realm: Seen, picture: RealmPicture): boolean =>
  storedLooks(realm)[picture]?.is_uploaded === true

/** How a picture is told of: `icon_url`, `icon_source`, ... */
export const pictureFields = (realm: Seen, picture: RealmPicture): Record<string, JsonValue> => ({
  [`${picture}_url`]: pictureUrl(realm, picture),
  [`${picture}_source`]: isUploaded(realm, picture) ? 'U' : picture === 'icon' ? 'G' : 'D',
})

/** The organization's looks, as the state has them. */
export const looksOf = (realm: Seen) => ({
  realm_icon_url: pictureUrl(realm, 'icon'),
  realm_icon_source: isUploaded(realm, 'icon') ? ('U' as const) : ('G' as const),
  realm_logo_url: pictureUrl(realm, 'logo'),
  realm_logo_source: isUploaded(realm, 'logo') ? ('U' as const) : ('D' as const),
  realm_night_logo_url: pictureUrl(realm, 'night_logo'),
  realm_night_logo_source: isUploaded(realm, 'night_logo') ? ('U' as const) : ('D' as const),
})
