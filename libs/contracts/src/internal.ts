import { z } from 'zod'
import type { ErrorName } from './errors.ts'
import type { Issuer, ServiceName } from './services.ts'

/**
 * A question one service asks another: `POST /internal/<name>`, JSON both ways unless it says otherwise, signed by the
 * asking service.
 * Only the issuers in `callers` are answered.
 */
export interface InternalDeclaration<I = unknown, O = unknown> {
  readonly service: ServiceName
  readonly name: string
  readonly callers: readonly Issuer[]
  readonly input: z.ZodType<I>
  readonly output: z.ZodType<O>
  readonly errors: readonly ErrorName[]
  /** How long the asking service waits for the answer. */
  readonly seconds: number
  /** `bytes`: the input's `bytes` are the body, held in memory by both, and the rest of it is JSON in the query. */
  readonly takes: 'json' | 'bytes'
  /** `stream`: bytes as they come, after a question in JSON. The asker reads at its own pace. */
  readonly answers: 'json' | 'stream'
}

// biome-ignore lint/suspicious/noExplicitAny: the widest declaration, of which all are.
export type AnyInternal = InternalDeclaration<any, any>

export type InputOf<T> = T extends InternalDeclaration<infer I, infer _O> ? I : never
export type OutputOf<T> = T extends InternalDeclaration<infer _I, infer O> ? O : never

export const internal = <I, O>(declaration: {
  service: ServiceName
  name: string
  callers: readonly Issuer[]
  input: z.ZodType<I>
  output: z.ZodType<O>
  errors?: readonly ErrorName[]
  seconds?: number
}): InternalDeclaration<I, O> => ({ errors: [], seconds: 10, takes: 'json', answers: 'json', ...declaration })

/** How a body that is bytes and nothing else is called. */
export const bytesType = 'application/octet-stream'

/** A question about bytes that are few enough to be held in memory. */
export const internalBytes = <I extends { bytes: Uint8Array }, O>(
  declaration: Parameters<typeof internal<I, O>>[0],
): InternalDeclaration<I, O> => ({ ...internal(declaration), takes: 'bytes' })

type Bytes = AsyncIterable<Uint8Array>

/** A question whose answer is read piece by piece. An answer that breaks off ends in an error, never in silence. */
export const internalStream = <I>(declaration: {
  service: ServiceName
  name: string
  callers: readonly Issuer[]
  input: z.ZodType<I>
  errors?: readonly ErrorName[]
  seconds?: number
}): InternalDeclaration<I, Bytes> => ({
  errors: [],
  seconds: 600,
  takes: 'json',
  answers: 'stream',
  output: z.custom<Bytes>(),
  ...declaration,
})
