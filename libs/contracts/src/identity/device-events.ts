import { z } from 'zod'
import { event } from '../event.ts'
import { Device } from '../objects/device.ts'

/** The caller logged in on another device. */
export const deviceAdd = event({ type: 'device', op: 'add', since: 468, fields: { device_id: z.int() } })

/** How one of the caller's devices is told of messages changed; what is different is there. */
export const deviceUpdate = event({
  type: 'device',
  op: 'update',
  since: 468,
  fields: { device_id: z.int(), ...Device.partial().shape },
})

/** One of the caller's devices was forgotten. */
export const deviceRemove = event({
  type: 'device',
  op: 'remove',
  since: 470,
  fields: { device_id: z.int() },
})
