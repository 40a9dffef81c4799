import { addApnsToken as contract } from '@parley/contracts/identity/devices'
import { endpoint } from '../room.ts'
import { storeLegacyToken } from './device-store.ts'
import { legacyTokenFinding } from './push-rules.ts'

export const addApnsToken = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async ({ sql }) => {
    const finding = legacyTokenFinding('apns', params.token)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    await storeLegacyToken(sql, {
      user_id: caller.user.id,
      kind: 'apns',
      token: params.token,
      app_id: params.appid,
    })
    return {}
  }),
)
