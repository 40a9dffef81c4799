import { realmUpdateDict } from '@parley/contracts/identity/events'
import {
  realmPictureAddress as addressContract,
  changeRealmPicture as contract,
} from '@parley/contracts/identity/realm-pictures'
import { internal } from '../room.ts'
import { publishRealm } from './realm-announcements.ts'
import { pictureFields, pictureUrl, storedLooks } from './realm-looks.ts'
import { changeRealm, lockAccounts, realmById } from './realm-store.ts'

export const changeRealmPicture = internal(contract, async ({ input, transaction, refuse }) =>
  transaction(async (tx) => {
    const { realm_id, picture, is_uploaded } = input
    await lockAccounts(tx.sql, realm_id)
    const before = await realmById(tx.sql, realm_id)
    if (before?.is_active !== true) throw refuse('BAD_REQUEST', 'Invalid organization')
    const looks = storedLooks(before)
    const look = looks[picture]
    if (!is_uploaded && look?.is_uploaded !== true) return { url: pictureUrl(before, picture) }
    const changed = { ...looks, [picture]: { version: (look?.version ?? 1) + 1, is_uploaded } }
    const realm = await changeRealm(tx.sql, realm_id, { settings: { looks: changed } })
    publishRealm(tx, realm)
    const data = pictureFields(realm, picture)
    tx.emit(realmUpdateDict, { realm: realm_id, everyone: true }, { property: 'default', data })
    return { url: pictureUrl(realm, picture) }
  }),
)

export const realmPictureAddress = internal(addressContract, async ({ input, deps }) => {
  const realm = await realmById(deps.database.sql, input.realm_id)
  return { url: realm === undefined ? null : pictureUrl(realm, input.picture) }
})
