import type { AnyEndpoint } from './endpoint.ts'
import type { AnyInternal } from './internal.ts'
import type { AnySection } from './section.ts'
import type { ServiceName } from './services.ts'

/** All that one service promises to others. The keys are the operation names used by handlers, spans and metrics. */
export interface ServiceContract<
  Endpoints extends Record<string, AnyEndpoint> = Record<string, AnyEndpoint>,
  Internals extends Record<string, AnyInternal> = Record<string, AnyInternal>,
  Sections extends Record<string, AnySection> = Record<string, AnySection>,
> {
  readonly name: ServiceName
  readonly endpoints: Endpoints
  readonly internals: Internals
  readonly sections: Sections
}

export const serviceContract = <
  Endpoints extends Record<string, AnyEndpoint>,
  Internals extends Record<string, AnyInternal>,
  Sections extends Record<string, AnySection>,
>(
  name: ServiceName,
  promises: { endpoints: Endpoints; internals: Internals; sections: Sections },
): ServiceContract<Endpoints, Internals, Sections> => ({ name, ...promises })
