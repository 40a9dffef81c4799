import { removeClientDevice as contract } from '@parley/contracts/identity/devices'
import { deviceRemove } from '@parley/contracts/identity/events'
import { endpoint } from '../room.ts'
import { deleteDevice } from './device-store.ts'

export const removeClientDevice = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const { device_id } = params
    if (!(await deleteDevice(tx.sql, caller.user.id, device_id))) {
      throw refuse('BAD_REQUEST', 'Invalid `device_id`')
    }
    tx.emit(deviceRemove, { realm: caller.realm.id, users: [caller.user.id] }, { device_id })
    return {}
  }),
)
