import { limits } from '@parley/contracts'
import { registerClientDevice as contract } from '@parley/contracts/identity/devices'
import { deviceAdd } from '@parley/contracts/identity/events'
import { endpoint } from '../room.ts'
import { insertDevice } from './device-store.ts'

export const registerClientDevice = endpoint(contract, ({ caller, transaction, refuse }) =>
  transaction(async (tx) => {
    const device_id = await insertDevice(tx.sql, caller.user.id, limits.maxDevices)
    if (device_id === undefined) {
      throw refuse('BAD_REQUEST', `An account can have ${limits.maxDevices} devices at most.`)
    }
    tx.emit(deviceAdd, { realm: caller.realm.id, users: [caller.user.id] }, { device_id })
    return { device_id }
  }),
)
