import { registerPushDevice as contract } from '@parley/contracts/identity/devices'
import { deviceUpdate } from '@parley/contracts/identity/events'
import { endpoint } from '../room.ts'
import {
  deleteLegacyToken,
  legacyTokensOf,
  lockDevice,
  storePushKey,
  storePushToken,
} from './device-store.ts'
import { isNamedBy, readPushWishes } from './push-rules.ts'

/** The registration waits for the device's push service: nothing is sent before that confirmed it. */
export const registerPushDevice = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    const { device_id, ...wishes } = params
    const device = await lockDevice(sql, caller.user.id, device_id)
    if (device === undefined) throw refuse('BAD_REQUEST', 'Invalid `device_id`')
    const read = readPushWishes(wishes)
    if ('finding' in read) throw refuse('BAD_REQUEST', read.finding)
    const { key, token } = read
    if (device.push_key_id === null && (key === undefined || token === undefined)) {
      throw refuse('BAD_REQUEST', `No push registration exists to rotate ${key ? 'key' : 'token'} for.`)
    }
    const changes: {
      push_key_id?: number
      pending_push_token_id?: string
      push_token_last_updated_timestamp?: number
    } = {}
    if (key !== undefined) {
      await storePushKey(sql, device.id, key)
      changes.push_key_id = key.push_key_id
    }
    const known = [device.push_token_id, device.pending_push_token_id]
    if (token !== undefined && !(key === undefined && known.includes(token.pending_push_token_id))) {
      changes.push_token_last_updated_timestamp = await storePushToken(sql, device.id, token)
      changes.pending_push_token_id = token.pending_push_token_id
      for (const legacy of await legacyTokensOf(sql, caller.user.id, token.push_token_kind)) {
        if (!isNamedBy(legacy, token.pending_push_token_id)) continue
        await deleteLegacyToken(sql, caller.user.id, token.push_token_kind, legacy)
      }
    }
    if (Object.keys(changes).length === 0) return {}
    tx.emit(deviceUpdate, { realm: caller.realm.id, users: [caller.user.id] }, { device_id, ...changes })
    return {}
  }),
)
