import { deviceSection as contract } from '@parley/contracts/identity/sections'
import { section } from '../room.ts'
import { devicesOf } from './device-store.ts'

export const deviceSection = section(
  contract,
  async ({ caller, sql }) => ({
    devices: Object.fromEntries(
      (await devicesOf(sql, caller.user.id)).map(({ id, push_registration_error_code, ...device }) => [
        String(id),
        { ...device, ...(push_registration_error_code === null ? {} : { push_registration_error_code }) },
      ]),
    ),
  }),
  async () => ({ devices: {} }),
)
