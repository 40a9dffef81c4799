import { type ChildProcess, fork } from 'node:child_process'
import { refuse } from '@parley/contracts'
import type { ImageFacts, ImageOutcome, PictureWish } from './image-job.ts'

/** Milliseconds for one job; whatever takes longer is no picture for us. */
const patience = 10_000
/** Jobs that may wait; further ones are refused. */
const maxWaiting = 100

export interface ImageWorkshop {
  /**
   * Makes pictures of an image, in a process of their own, one job at a time.
   *
   * @throws ApiError BAD_IMAGE for what is no image, is too large, moves too long, or takes too long.
   */
  draw(
    image: Buffer,
    wishes: readonly PictureWish[],
  ): Promise<{ facts: ImageFacts; pictures: readonly Buffer[] }>
  close(): Promise<void>
}

const badImage = () => refuse('BAD_IMAGE', 'Could not decode image; did you upload an image file?')

export const openWorkshop = (): ImageWorkshop => {
  let worker: ChildProcess | undefined
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  let jobs = 0

  const start = (): ChildProcess => {
    const made = fork(new URL('./image-worker.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: ['--max-old-space-size=256'],
      // It needs none of our secrets.
      env: { PATH: process.env.PATH },
    })
    made.once('exit', () => {
      if (worker === made) worker = undefined
    })
    return made
  }

  const outcomeFrom = (child: ChildProcess, id: number): Promise<ImageOutcome> =>
    new Promise((resolve) => {
      const end = (outcome: ImageOutcome): void => {
        clearTimeout(timer)
        child.off('message', onMessage).off('exit', onExit).off('error', onExit)
        resolve(outcome)
      }
      const onMessage = (outcome: unknown): void => {
        if ((outcome as ImageOutcome).id === id) end(outcome as ImageOutcome)
      }
      const onExit = (): void => end({ id, finding: 'ended' })
      const timer = setTimeout(() => {
        if (worker === child) worker = undefined
        child.kill('SIGKILL')
      }, patience)
      child.on('message', onMessage).on('exit', onExit).on('error', onExit)
    })

  const work = async (image: Buffer, wishes: readonly PictureWish[]): Promise<ImageOutcome> => {
    worker ??= start()
    const id = ++jobs
    const outcome = outcomeFrom(worker, id)
    worker.send({ id, image, wishes })
    return outcome
  }

  return {
    async draw(image, wishes) {
      if (waiting >= maxWaiting) throw refuse('SERVER_NOT_READY', 'Too many images wait. Please try again.')
      waiting += 1
      const done = last.then(() => work(image, wishes))
      last = done.catch(() => {})
      try {
        const outcome = await done
        if ('finding' in outcome) throw badImage()
        return { facts: outcome.facts, pictures: outcome.pictures.map((picture) => Buffer.from(picture)) }
      } finally {
        waiting -= 1
      }
    },
    async close() {
      worker?.disconnect()
      worker = undefined
    },
  }
}
