import type { AnyEndpoint } from './endpoint.ts'
import type { AnyInternal } from './internal.ts'
import type { AnySection } from './section.ts'
import type { ServiceName } from './services.ts'
import type { TopicDeclaration } from './topic.ts'

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
  /** Topics of facts that the service writes. */
  readonly writes: readonly TopicDeclaration[]
  /** Topics of other services that it follows. */
  readonly follows: readonly TopicDeclaration[]
}

export const serviceContract = <
  Endpoints extends Record<string, AnyEndpoint>,
  Internals extends Record<string, AnyInternal>,
  Sections extends Record<string, AnySection>,
>(
  name: ServiceName,
  promises: {
    endpoints: Endpoints
    internals: Internals
    sections: Sections
    writes?: readonly TopicDeclaration[]
    follows?: readonly TopicDeclaration[]
  },
): ServiceContract<Endpoints, Internals, Sections> => ({ name, writes: [], follows: [], ...promises })
