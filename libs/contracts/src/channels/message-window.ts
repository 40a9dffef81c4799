import { z } from 'zod'
import { limits } from '../limits.ts'
import { either } from '../parameter.ts'
import { anchorAfterAll } from './anchors.ts'

/**
 * A message ID, or a place: numbers are taken beyond the safe integers, as clients send `anchorAfterAll`; what is below zero
 * is before all messages, too.
 */
export const Anchor = either(
  z.union(
    [
      z
        .number()
        .refine(Number.isInteger)
        .transform((id) => Math.min(Math.max(id, 0), anchorAfterAll)),
      z.enum(['newest', 'oldest', 'first_unread', 'date']),
    ],
    { error: 'Invalid anchor' },
  ),
)

export const Count = z.int().nonnegative().max(limits.maxMessagesPerRequest)
