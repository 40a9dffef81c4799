import type { z } from 'zod'
import type { ErrorName } from './errors.ts'
import type { Issuer, ServiceName } from './services.ts'

/**
 * A question one service asks another: `POST /internal/<name>`, JSON both ways, signed by the asking service.
 * Only the issuers in `callers` are answered.
 */
export interface InternalDeclaration<I = unknown, O = unknown> {
  readonly service: ServiceName
  readonly name: string
  readonly callers: readonly Issuer[]
  readonly input: z.ZodType<I>
  readonly output: z.ZodType<O>
  readonly errors: readonly ErrorName[]
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
}): InternalDeclaration<I, O> => ({ errors: [], ...declaration })
