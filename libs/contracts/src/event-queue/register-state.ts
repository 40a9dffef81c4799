import { z } from 'zod'
import { Caller } from '../caller.ts'
import { type InternalDeclaration, internalStream } from '../internal.ts'
import { SectionOptions } from '../section.ts'
import type { ServiceName } from '../services.ts'

const Input = z.object({ caller: Caller, sections: z.array(z.string()), options: SectionOptions })

/** The first line of the answer. */
export const StateHead = z.object({
  /** The moment of the service's database in which all of it was read. */
  snapshot: z.object({ xmin: z.number(), xmax: z.number(), xip: z.array(z.number()) }),
})

export type StateHead = z.infer<typeof StateHead>

/**
 * What every service that owns sections is asked at a registration; the kit answers from its section handlers: the head,
 * and after it the fields of all asked sections as those of a JSON object, without its braces. Nobody between the service
 * and the client has to read them.
 */
export const registerState = (
  service: ServiceName,
): InternalDeclaration<z.input<typeof Input>, AsyncIterable<Uint8Array>> =>
  internalStream({
    service,
    name: 'register-state',
    callers: ['event-queue'],
    input: Input as z.ZodType<z.input<typeof Input>>,
    seconds: 10,
  })
