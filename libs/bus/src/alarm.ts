/** Wakes who waits. It has one waiter; rung while nobody waits, it wakes the next one at once. */
export interface Alarm {
  ring(): void
  /** Resolves when rung, or after so many milliseconds. */
  wait(milliseconds: number): Promise<void>
}

export const alarm = (): Alarm => {
  let isRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      isRung = true
      wake?.()
    },
    async wait(milliseconds) {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        wake = undefined
      }
      isRung = false
    },
  }
}
