import { z } from 'zod'
import { internal } from '../internal.ts'
import { EmojiFact } from './topics.ts'

/** All custom emoji of an organization, for services whose copy does not hold one yet. */
export const findEmoji = internal({
  service: 'uploads',
  name: 'find-emoji',
  callers: ['presence'],
  input: z.object({ realm_id: z.int() }),
  output: z.object({ emoji: z.array(EmojiFact) }),
})
