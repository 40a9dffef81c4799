import type { Running } from '@parley/kit'
import type { Bell } from './bell.ts'

/** One kind of thing that is done at its time. */
export interface DueWork {
  readonly name: string
  /** Does one thing that is due, if there is one that nobody else is at. @returns whether there was. */
  takeOne(): Promise<boolean>
  /** Seconds until the next thing is due, by the clock of the database; undefined when nothing waits. */
  secondsToNext(): Promise<number | undefined>
}

/**
 * Longest sleep. What another process took in may be due earlier than this one knows: it is that process' to do, unless it
 * dies, which is found out after so long.
 */
const longestSleepSeconds = 15
/** Sleep while what is due is in somebody else's hands, or the engine is away. */
const shortSleepSeconds = 1
/** Things done side by side by one process. */
const hands = 2

/** Sleeps until the next thing is due, or somebody rings. Any number of processes may do the same work. */
export const startDueWork = (
  work: DueWork,
  { bell, log }: { bell: Bell; log: { warn(details: object, message: string): void } },
): Running => {
  let timer: NodeJS.Timeout | undefined
  let isWanted = true
  let isStopping = false
  let working: Promise<void> | undefined

  const workOff = async (): Promise<void> => {
    while (!isStopping && (await work.takeOne()));
  }
  const round = async (): Promise<number> => {
    try {
      await Promise.all(Array.from({ length: hands }, workOff))
      const seconds = (await work.secondsToNext()) ?? longestSleepSeconds
      return seconds <= 0 ? shortSleepSeconds : Math.min(seconds, longestSleepSeconds)
    } catch (error) {
      log.warn({ err: error, work: work.name }, 'what is due waits')
      return shortSleepSeconds
    }
  }
  const rounds = async (): Promise<void> => {
    let seconds = 0
    while (isWanted && !isStopping) {
      isWanted = false
      seconds = await round()
    }
    working = undefined
    if (!isStopping) timer = setTimeout(wake, Math.ceil(seconds * 1000))
  }
  const wake = (): void => {
    isWanted = true
    if (working !== undefined || isStopping) return
    clearTimeout(timer)
    working = rounds()
  }

  const silence = bell.onRing(wake)
  wake()
  return {
    async stop() {
      isStopping = true
      silence()
      clearTimeout(timer)
      await working
    },
  }
}
