/** What wakes a relay. It has one waiter; rung while nobody waits, it wakes the next one at once. */
export interface RelayAlarm {
  /** Something was committed that may not have been looked at. */
  hasNews: boolean
  /** Something was committed. */
  tell(): void
  /** Something else happened. */
  ring(): void
  /** Resolves when rung, or after so many milliseconds. */
  wait(milliseconds: number): Promise<void>
}

export const relayAlarm = (): RelayAlarm => {
  let isRung = false
  let wake: (() => void) | undefined
  const ring = (): void => {
    isRung = true
    wake?.()
  }
  const alarm: RelayAlarm = {
    hasNews: false,
    tell() {
      alarm.hasNews = true
      ring()
    },
    ring,
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
  return alarm
}
