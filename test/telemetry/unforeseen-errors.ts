import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceNames } from '@parley/contracts'

interface Entry {
  readonly time: string
  readonly operation?: string
  /** Of an answer that its contract does not list. */
  readonly error?: string
  readonly err?: {
    readonly type: string
    readonly message: string
    readonly code?: string
    readonly stack?: string
  }
}

/** What libs/kit says of an answer that is a mistake of ours: nobody had foreseen it, or no contract lists it. */
const mistakes = ['"msg":"unforeseen error"', '"msg":"undeclared error"']

/**
 * What services answered with a 500 because nobody had foreseen it, and (where replies are checked) refusals that the
 * contract does not list, as the logs in this folder tell it: process, time, operation, error, and the place in the code.
 */
export const unforeseenErrors = async (logsDir: string): Promise<string[]> => {
  const found: string[] = []
  for (const file of await readdir(logsDir)) {
    if (!serviceNames.some((name) => file.startsWith(name))) continue
    for (const line of (await readFile(join(logsDir, file), 'utf8')).split('\n')) {
      if (!mistakes.some((mistake) => line.includes(mistake))) continue
      const { time, operation, error, err } = JSON.parse(line) as Entry
      if (err === undefined) {
        found.push(`${file}, ${time}, ${operation}: ${error} is not declared`)
        continue
      }
      const code = err.code === undefined ? '' : ` ${err.code}`
      found.push(
        `${file}, ${time}, ${operation}: ${err.type}${code}: ${err.message} ${place(err.stack)}`.trimEnd(),
      )
    }
  }
  return found
}

/** The first lines of a stack that are ours. */
const place = (stack = ''): string =>
  stack
    .split('\n')
    .filter((line) => line.includes('/src/') && !line.includes('node_modules'))
    .slice(0, 2)
    .map((line) => line.trim())
    .join(' ')
