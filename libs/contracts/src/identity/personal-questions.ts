import { z } from 'zod'
import { internal } from '../internal.ts'
import { PersonalFact } from './topics.ts'

/** What some accounts chose for themselves, for services whose copy does not hold it yet; all of them are answered for. */
export const findPersonal = internal({
  service: 'identity',
  name: 'find-personal',
  callers: ['channels', 'presence', 'event-queue', 'invitations', 'uploads', 'webhook-dispatcher'],
  input: z.object({ realm_id: z.int(), ids: z.array(z.int()).max(10_000) }),
  output: z.object({ personal: z.array(PersonalFact) }),
})
