import { z } from 'zod'
import type { ClientShape } from './client-shape.ts'

/**
 * A change that clients are told of. `fields` is what the service that made the change writes down; `shape`
 * (where clients differ) turns that into what one kind of client receives: one event, several, or none.
 */
export interface EventDeclaration<
  Type extends string = string,
  Op extends string | undefined = string | undefined,
  Fields extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly type: Type
  readonly op: Op
  readonly since: number
  readonly fields: Fields
  readonly shape:
    | ((event: Record<string, unknown>, client: ClientShape) => Record<string, unknown>[])
    | undefined
}

export type EventData<E> =
  E extends EventDeclaration<string, string | undefined, infer Fields> ? z.input<z.ZodObject<Fields>> : never

// biome-ignore lint/suspicious/noExplicitAny: the widest declaration, of which all are.
export type AnyEvent = EventDeclaration<string, string | undefined, any>

/** Declares a client event (section 4 of the facts). `since` is the feature level that introduced its form. */
export const event = <
  const Type extends string,
  const Fields extends z.ZodRawShape,
  const Op extends string | undefined = undefined,
>(declaration: {
  type: Type
  op?: Op
  since?: number
  fields: Fields
  shape?: (event: Record<string, unknown>, client: ClientShape) => Record<string, unknown>[]
}): EventDeclaration<Type, Op, Fields> => ({
  type: declaration.type,
  op: declaration.op as Op,
  since: declaration.since ?? 1,
  fields: declaration.fields,
  shape: declaration.shape,
})

/**
 * The users whom an event is for, decided in the transaction that causes it.
 * Several of `users`, `everyone`, `resolve` add up.
 */
export const Audience = z.strictObject({
  realm: z.int(),
  /** Exactly these users. */
  users: z.array(z.int()).optional(),
  /** Every user of the realm: one record per shard, no list of IDs. */
  everyone: z.literal(true).optional(),
  /** Also queues registered with `all_public_streams` of these users, who need not be among the recipients. */
  public: z.array(z.int()).optional(),
  /** A set that the service's relay writes out (e.g. a channel's members at one membership version). */
  resolve: z.strictObject({ name: z.string(), args: z.record(z.string(), z.json()) }).optional(),
  /** Fields of the event that differ for single users, keyed by user ID. */
  personal: z.record(z.string(), z.record(z.string(), z.json())).optional(),
})
export type Audience = z.infer<typeof Audience>
