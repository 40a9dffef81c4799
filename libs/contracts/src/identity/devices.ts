import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id } from '../objects/values.ts'
import { quotable } from '../parameter.ts'
import { deviceAdd, deviceRemove, deviceUpdate } from './device-events.ts'

export const registerClientDevice = endpoint({
  method: 'POST',
  path: '/register_client_device',
  service: 'identity',
  summary: 'Name the device on which the caller is logged in.',
  since: 468,
  access: 'authenticated',
  params: {},
  reply: { device_id: z.int() },
  emits: [deviceAdd],
})

export const removeClientDevice = endpoint({
  method: 'POST',
  path: '/remove_client_device',
  service: 'identity',
  summary: "Forget one of the caller's devices.",
  since: 470,
  access: 'authenticated',
  params: { device_id: Id },
  reply: {},
  emits: [deviceRemove],
})

export const registerPushDevice = endpoint({
  method: 'POST',
  path: '/mobile_push/register',
  service: 'identity',
  summary:
    'Have a device told of messages, encrypted end to end: first with a key and an address, then either to change it.',
  since: 406,
  access: 'authenticated',
  params: {
    device_id: Id,
    push_key_id: z.int().min(0).max(4_294_967_295).optional(),
    /** Base64 of a byte that names the cipher, and 32 bytes of a key. */
    push_key: quotable(z.string().max(100)).optional(),
    token_kind: quotable(z.enum(['apns', 'fcm'])).optional(),
    /** Base64 of the first 8 bytes of the SHA-256 of the address. */
    token_id: quotable(z.string().max(20)).optional(),
    bouncer_public_key: quotable(z.string().max(1000)).optional(),
    encrypted_push_registration: quotable(z.string().max(10_000)).optional(),
  },
  reply: {},
  emits: [deviceUpdate],
})

const legacy = (summary: string, path: `/${string}`) =>
  ({ service: 'identity', access: 'authenticated', summary, path }) as const

export const addGcmToken = endpoint({
  ...legacy('Have an Android device told of messages. Deprecated (406).', '/users/me/android_gcm_reg_id'),
  method: 'POST',
  params: { token: z.string() },
  reply: {},
})

export const removeGcmToken = endpoint({
  ...legacy('Have an Android device told no more. Deprecated (406).', '/users/me/android_gcm_reg_id'),
  method: 'DELETE',
  params: { token: z.string() },
  reply: {},
})

export const addApnsToken = endpoint({
  ...legacy('Have an Apple device told of messages. Deprecated (406).', '/users/me/apns_device_token'),
  method: 'POST',
  params: { token: z.string(), appid: z.string().max(200) },
  reply: {},
})

export const removeApnsToken = endpoint({
  ...legacy('Have an Apple device told no more. Deprecated (406).', '/users/me/apns_device_token'),
  method: 'DELETE',
  params: { token: z.string() },
  reply: {},
})
