/** Rung when something may be due earlier than the schedulers of this process know. */
export interface Bell {
  ring(): void
  /** Returns what ends the listening. */
  onRing(listener: () => void): () => void
}

export const bell = (): Bell => {
  const listeners = new Set<() => void>()
  return {
    ring: () => {
      for (const listener of listeners) listener()
    },
    onRing: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
