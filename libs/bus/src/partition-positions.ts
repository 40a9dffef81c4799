/**
 * Where each assigned partition stands by the consumer's own account, which goes before Kafka's: the position was
 * stored with the effect.
 */
export interface PartitionPositions {
  /** Forgets everything: partitions were assigned anew. */
  reset(): void
  /**
   * Called with each batch. Tells from which offset on the batch is new, or (undefined) that it starts behind the
   * consumer's position, to which it must seek.
   */
  place(partition: number, firstOffset: number): Promise<{ from: number } | { seekTo: number }>
  /** The batch was processed up to here. */
  advance(partition: number, nextOffset: number): void
}

/** `load` reads the stored position of a partition; undefined when there is none yet. */
export const partitionPositions = (
  load: (partition: number) => Promise<number | undefined>,
): PartitionPositions => {
  const known = new Map<number, number>()
  return {
    reset: () => known.clear(),
    async place(partition, firstOffset) {
      const position = known.get(partition)
      if (position !== undefined) return { from: position }
      const stored = await load(partition)
      known.set(partition, stored ?? firstOffset)
      // Kafka's own commit may be ahead of ours: whatever lies between has to be read.
      if (stored !== undefined && firstOffset > stored) return { seekTo: stored }
      return { from: stored ?? firstOffset }
    },
    advance: (partition, nextOffset) => void known.set(partition, nextOffset),
  }
}
