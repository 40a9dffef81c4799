import { addGcmToken as contract } from '@parley/contracts/identity/devices'
import { endpoint } from '../room.ts'
import { storeLegacyToken } from './device-store.ts'
import { legacyTokenFinding } from './push-rules.ts'

export const addGcmToken = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async ({ sql }) => {
    const finding = legacyTokenFinding('fcm', params.token)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    await storeLegacyToken(sql, { user_id: caller.user.id, kind: 'fcm', token: params.token, app_id: null })
    return {}
  }),
)
