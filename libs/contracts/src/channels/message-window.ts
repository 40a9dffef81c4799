import { z } from 'zod'
import { limits } from '../limits.ts'
import { either } from '../parameter.ts'

/** A message ID, or a place: numbers are taken beyond the safe integers, as clients send `anchorAfterAll`. */
export const Anchor = either(
  z.union(
    [z.number().nonnegative().refine(Number.isInteger), z.enum(['newest', 'oldest', 'first_unread', 'date'])],
    { error: 'Invalid anchor' },
  ),
)

export const Count = z.int().nonnegative().max(limits.maxMessagesPerRequest)
