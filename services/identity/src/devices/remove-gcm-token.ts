import { removeGcmToken as contract } from '@parley/contracts/identity/devices'
import { endpoint } from '../room.ts'
import { deleteLegacyToken } from './device-store.ts'
import { legacyTokenFinding } from './push-rules.ts'

export const removeGcmToken = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async ({ sql }) => {
    const finding = legacyTokenFinding('fcm', params.token)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    if (!(await deleteLegacyToken(sql, caller.user.id, 'fcm', params.token))) {
      throw refuse('BAD_REQUEST', 'Token does not exist')
    }
    return {}
  }),
)
