import { customProfileFields } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { profileFieldObject, profileFieldsOf } from './profile-field-store.ts'

/** Tells everyone what the organization asks now. */
export const announceProfileFields = async (
  tx: Tx<typeof customProfileFields>,
  realmId: number,
): Promise<void> => {
  const fields = (await profileFieldsOf(tx.sql, realmId)).map(profileFieldObject)
  tx.emit(customProfileFields, { realm: realmId, everyone: true }, { fields })
}
