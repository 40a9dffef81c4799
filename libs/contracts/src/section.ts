import { z } from 'zod'
import { ClientCapabilities } from './client-shape.ts'
import type { ServiceName } from './services.ts'

/**
 * A part of the registration answer (facts 3.3), owned by one service and read in one database snapshot, so
 * that the queue can tell which events the state already contains.
 */
export interface SectionDeclaration<Fields extends z.ZodRawShape = z.ZodRawShape> {
  readonly service: ServiceName
  /** The name in `fetch_event_types`. */
  readonly name: string
  readonly fields: Fields
  /**
   * Types of the events whose effect the section's state contains (when not given, those of its name): events of
   * these types that the state already contains are left out of the queue.
   */
  readonly covers?: readonly string[]
  /** Another name that has to be in `fetch_event_types` as well. */
  readonly onlyWith?: string
  /** Part of every answer, asked for or not; its name is then only for the house. */
  readonly always?: true
}

// biome-ignore lint/suspicious/noExplicitAny: the widest declaration, of which all are.
export type AnySection = SectionDeclaration<any>

export type SectionData<S> = S extends SectionDeclaration<infer Fields> ? z.input<z.ZodObject<Fields>> : never

export const section = <const Fields extends z.ZodRawShape>(
  declaration: SectionDeclaration<Fields>,
): SectionDeclaration<Fields> => declaration

/** What the registering client asked for that changes how its state is written. */
export const SectionOptions = z.object({
  client_gravatar: z.boolean(),
  slim_presence: z.boolean(),
  include_subscribers: z.union([z.boolean(), z.literal('partial')]),
  presence_history_limit_days: z.int(),
  apply_markdown: z.boolean(),
  client_capabilities: ClientCapabilities.optional(),
})
export type SectionOptions = z.infer<typeof SectionOptions>
