/** Lets a few through at a time, in the order of their coming. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

export const gate = (atOnce: number): Gate => {
  const waiting: (() => void)[] = []
  let inside = 0
  return async (work) => {
    if (inside >= atOnce) await new Promise<void>((enter) => waiting.push(enter))
    else inside += 1
    try {
      return await work()
    } finally {
      // Whoever leaves hands over their place.
      const next = waiting.shift()
      if (next === undefined) inside -= 1
      else next()
    }
  }
}
