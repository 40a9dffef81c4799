import type { z } from 'zod'

/**
 * A Kafka topic of facts. Facts are keyed by the entity they are about, so that one entity's facts stay in
 * order; `compacted` topics hold the latest state of each entity and feed other services' projections.
 */
export interface TopicDeclaration<V = unknown> {
  readonly name: string
  readonly value: z.ZodType<V>
  readonly compacted: boolean
  /** Fixed at creation: another count re-maps keys and is a drained migration. */
  readonly partitions: number
}

export const topic = <V>(
  name: string,
  declaration: { value: z.ZodType<V>; compacted: boolean; partitions?: number },
): TopicDeclaration<V> => ({
  name,
  value: declaration.value,
  compacted: declaration.compacted,
  partitions: declaration.partitions ?? 8,
})
