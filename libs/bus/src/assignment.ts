/** One partition that is assigned to this process. */
export interface Slot {
  readonly topic: string
  readonly partition: number
  /** The offset from which on records are new here; undefined until it is known. */
  position: number | undefined
  /** When something was last done about it, with or without success: milliseconds of the process' clock. */
  activeAt: number
  /** An engine is away, so nothing can be done. */
  isWaiting: boolean
  /** Records of it are being handled. */
  isInHand: boolean
}

/** The partitions of one generation of the group. */
export interface Assignment {
  readonly slots: readonly Slot[]
  find(topic: string, partition: number): Slot | undefined
  /** Whether it has been replaced by another one, or taken away. */
  isOver: boolean
}

export const assignmentOf = (partitions: Readonly<Record<string, readonly number[]>>): Assignment => {
  const slots = Object.entries(partitions).flatMap(([topic, numbers]) =>
    numbers.map(
      (partition): Slot => ({
        topic,
        partition,
        position: undefined,
        activeAt: performance.now(),
        isWaiting: false,
        isInHand: false,
      }),
    ),
  )
  const byName = new Map(slots.map((slot) => [`${slot.topic}/${slot.partition}`, slot]))
  return { slots, find: (topic, partition) => byName.get(`${topic}/${partition}`), isOver: false }
}

/** Something was handled, or is to be read again. */
export const move = (slot: Slot, position: number): void => {
  slot.position = position
  slot.activeAt = performance.now()
}
