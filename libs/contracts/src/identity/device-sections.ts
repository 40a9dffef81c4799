import { z } from 'zod'
import { Device } from '../objects/device.ts'
import { section } from '../section.ts'

/** The caller's devices, by ID. */
export const deviceSection = section({
  service: 'identity',
  name: 'device',
  fields: { devices: z.record(z.string(), Device) },
})
