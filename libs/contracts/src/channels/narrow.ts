import { z } from 'zod'
import { limits } from '../limits.ts'

const Operand = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.union([z.string(), z.number()])).max(limits.maxDirectRecipients),
])

/** One term: an object, or the older pair of operator and operand. */
const NarrowTerm = z.union([
  z.object({ operator: z.string(), operand: Operand, negated: z.boolean().optional() }),
  z
    .tuple([z.string(), Operand])
    .transform(([operator, operand]) => ({ operator, operand, negated: false as boolean | undefined })),
])
export type NarrowTerm = z.output<typeof NarrowTerm>

/** Which messages are meant (facts, section 6.2): all terms must hold. */
export const Narrow = z.array(NarrowTerm).max(limits.maxNarrowTerms)
export type Narrow = z.output<typeof Narrow>
