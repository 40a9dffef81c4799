import type { Server } from 'node:http'
import type { AnyEndpoint, AnyInternal, AnySection, ServiceContract } from '@parley/contracts'
import type { z } from 'zod'
import type { BaseConfig } from './config.ts'
import type { Opening } from './opening.ts'
import type { Handler, InternalHandler, SectionHandler } from './room.ts'

export type EndpointHandlers<C extends ServiceContract, Deps> = {
  readonly [K in keyof C['endpoints']]: Handler<Extract<C['endpoints'][K], AnyEndpoint>, Deps>
}
export type InternalHandlers<C extends ServiceContract, Deps> = {
  readonly [K in keyof C['internals']]: InternalHandler<Extract<C['internals'][K], AnyInternal>, Deps>
}
export type SectionHandlers<C extends ServiceContract, Deps> = {
  readonly [K in keyof C['sections']]: SectionHandler<Extract<C['sections'][K], AnySection>, Deps>
}

/** Something that runs beside requests (a consumer, a scheduler); stopped after the last request. */
export interface Running {
  stop(): Promise<void>
}

/**
 * A service as data: everything that it is made of, seen on one screen. A handler that is missing, or that
 * answers another endpoint, does not compile.
 */
export interface ServiceDefinition<C extends ServiceContract, Shape extends z.ZodRawShape, Deps> {
  readonly contract: C
  readonly config: z.ZodObject<Shape>
  /** Opens what the service needs; what was opened is closed by the kit, last opened first. */
  readonly open: (opening: Opening<BaseConfig & z.output<z.ZodObject<Shape>>>) => Promise<Deps>
  readonly endpoints: EndpointHandlers<C, Deps>
  readonly internals: InternalHandlers<C, Deps>
  readonly sections: SectionHandlers<C, Deps>
  /** Consumers and schedulers, started once everything is open and before the first request. */
  readonly start?: (deps: Deps) => Promise<Running[]>
  /** Answers waiting requests early, so that the process can leave; called before the sockets close. */
  readonly drain?: (deps: Deps) => Promise<void>
  /** Replaces the kit's HTTP server (the gateway's proxy). */
  readonly server?: (deps: Deps) => Server
}

/** `Deps` is what `open` returns; the default stands only until that is known, and never in a result. */
// biome-ignore lint/suspicious/noExplicitAny: handlers are compared once before `open` was looked at.
export const defineService = <const C extends ServiceContract, Shape extends z.ZodRawShape, Deps = any>(
  definition: ServiceDefinition<C, Shape, Deps>,
): ServiceDefinition<C, Shape, Deps> => definition
