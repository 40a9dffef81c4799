import { createInterface } from 'node:readline/promises'

/** Where commands say how far long work has come; results go elsewhere. */
export interface Progress {
  /** Says something, unless the result is to be JSON. */
  say(text: string): void
}

export const progress = (isJson: boolean): Progress => ({
  say: (text) => {
    if (!isJson) console.error(text)
  },
})

/** Thrown when somebody said no, or nobody could be asked. */
export class NotConfirmed extends Error {}

/**
 * Asks before something that cannot be taken back.
 *
 * @throws NotConfirmed unless the answer, or `--yes`, says so.
 */
export const confirm = async (question: string, isSure: boolean): Promise<void> => {
  if (isSure) return
  if (!process.stdin.isTTY) throw new NotConfirmed(`${question} Nobody can be asked here: say --yes.`)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await asking.question(`${question} [yes/no] `)
    if (answer.trim().toLowerCase() !== 'yes') throw new NotConfirmed('Nothing was done.')
  } finally {
    asking.close()
  }
}

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)

export const share = (done: number, total: number): string =>
  `${mebibytes(done)} of ${mebibytes(total)} MiB${total === 0 ? '' : ` (${Math.floor((done / total) * 100)} %)`}`

/** Asks again and again how far something has come, until it is over. Says what changed. */
export const followed = async <State>(parts: {
  ask: () => Promise<State>
  isOver: (state: State) => boolean
  tell: (state: State) => string
  progress: Progress
}): Promise<State> => {
  let last = ''
  for (;;) {
    const state = await parts.ask()
    const text = parts.tell(state)
    if (text !== last) parts.progress.say(text)
    last = text
    if (parts.isOver(state)) return state
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
