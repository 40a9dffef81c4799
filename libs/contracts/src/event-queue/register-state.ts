import { z } from 'zod'
import { Caller } from '../caller.ts'
import { type InternalDeclaration, internal } from '../internal.ts'
import { SectionOptions } from '../section.ts'
import type { ServiceName } from '../services.ts'

const Input = z.object({ caller: Caller, sections: z.array(z.string()), options: SectionOptions })

const Output = z.object({
  /** The fields of all asked sections. */
  state: z.record(z.string(), z.unknown()),
  /** The moment of the service's database in which all of them were read. */
  snapshot: z.object({ xmin: z.number(), xmax: z.number(), xip: z.array(z.number()) }),
})

/** What every service that owns sections is asked at a registration; the kit answers from its section handlers. */
export const registerState = (
  service: ServiceName,
): InternalDeclaration<z.input<typeof Input>, z.output<typeof Output>> =>
  internal({
    service,
    name: 'register-state',
    callers: ['event-queue'],
    input: Input as z.ZodType<z.input<typeof Input>>,
    output: Output,
  })
