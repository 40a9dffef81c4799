import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { realmDeactivated } from './events.ts'

export const deactivateRealm = endpoint({
  method: 'POST',
  path: '/realm/deactivate',
  service: 'identity',
  summary: 'Deactivate the organization: everybody is logged out, and nobody can log in.',
  access: 'owner',
  params: {
    /** Days until its data is deleted for good; 0 at once, null (or not sent) never. */
    deletion_delay_days: z.int().nullable().optional(),
  },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [realmDeactivated],
})
