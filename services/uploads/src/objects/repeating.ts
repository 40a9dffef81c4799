import type { Running } from '@parley/kit'
import type { Log } from '../room.ts'

/**
 * Does something again and again, with a pause (milliseconds) in between, unless `round` says that there is more to do.
 * A round that fails is logged and tried again after the pause.
 */
export const repeating = (work: { pause: number; log: Log; round: () => Promise<boolean> }): Running => {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const go = async (): Promise<void> => {
    try {
      while (!isStopped && (await work.round()));
    } catch (error) {
      work.log.warn({ err: error }, 'is tried again later')
    }
    if (!isStopped) {
      timer = setTimeout(() => {
        current = go()
      }, work.pause)
    }
  }
  let current = go()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await current
    },
  }
}
