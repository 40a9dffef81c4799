import { PassThrough } from 'node:stream'
import { Caller, type KnownCaller, refuse, type SectionOptions } from '@parley/contracts'
import type { Database } from '@parley/db'
import { z } from 'zod'
import { Pages, pageText } from './pages.ts'
import type { SectionHandler } from './room.ts'

/** Characters that are gathered before they are sent. */
const pieceLength = 64 * 1024

/** Milliseconds for a whole state; a reader that stands still must not hold a snapshot of the database. */
const longest = 15_000

/** Text on its way to one reader, at the reader's pace. */
class StateText {
  readonly stream = new PassThrough({ highWaterMark: 4 * pieceLength })
  /** Resolves when there is something to read. */
  readonly begun = Promise.withResolvers<void>()
  #text = ''

  constructor() {
    // Whoever reads meets the error; before that there is nobody.
    this.stream.on('error', () => {})
  }

  /** @throws Error when nobody reads any more. */
  async write(text: string): Promise<void> {
    this.#text += text
    if (this.#text.length >= pieceLength) await this.flush()
  }

  async flush(): Promise<void> {
    const { stream } = this
    if (stream.destroyed) throw new Error('nobody reads this state any more')
    const hasRoom = stream.write(this.#text)
    this.#text = ''
    this.begun.resolve()
    if (hasRoom) return
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void) => () => {
        stream.off('drain', onDrain).off('close', onClose)
        settle()
      }
      const onDrain = end(resolve)
      const onClose = end(() => reject(new Error('nobody reads this state any more')))
      stream.on('drain', onDrain).on('close', onClose)
    })
  }

  async field(name: string, value: unknown): Promise<void> {
    await this.write(`${JSON.stringify(name)}:`)
    if (!(value instanceof Pages)) return this.write(JSON.stringify(value))
    let separator = '['
    for await (const page of value.read()) {
      const items = pageText(page)
      if (items === '') continue
      await this.write(separator + items)
      separator = ','
    }
    await this.write(separator === '[' ? '[]' : ']')
  }
}

/**
 * Reads the asked sections of one service in one database snapshot, as text: a line that says which moment that was, and
 * then the fields of a JSON object, without its braces. It is made while it is read, so that of long lists no more than
 * some pages are held; the snapshot lasts until the last field.
 *
 * @returns a function that throws what goes wrong before the first piece of some size; what goes wrong later breaks the
 * text off.
 */
export const sectionState = (parts: {
  sections: readonly SectionHandler<never, unknown>[]
  deps: unknown
  options: typeof SectionOptions
}): ((body: unknown) => Promise<AsyncIterable<Uint8Array>>) => {
  const Input = z.object({ caller: Caller, sections: z.array(z.string()), options: parts.options })
  const byName = new Map(
    parts.sections.map((handler) => [(handler.section as { name: string }).name, handler]),
  )
  const { deps } = parts
  const { database } = deps as { database: Database }
  return async (body) => {
    const input = Input.safeParse(body)
    if (!input.success) throw refuse('BAD_REQUEST', z.prettifyError(input.error))
    const { caller, sections, options } = input.data
    const handlers = sections.map((name) => {
      const handler = byName.get(name)
      if (handler === undefined) throw refuse('BAD_REQUEST', `There is no section ${name} here.`)
      return handler
    })
    const text = new StateText()
    const read = database.snapshot(async (sql, snapshot) => {
      await text.write(`${JSON.stringify({ snapshot })}\n`)
      let separator = ''
      // All are asked at once: the database works on the next ones while one is written.
      const readings = handlers.map(
        async (handler): Promise<object | undefined> =>
          caller.user === null
            ? handler.readForSpectator?.({ realm: caller.realm, options, sql, deps })
            : handler.read({ caller: caller as KnownCaller, options, sql, snapshot, deps }),
      )
      // What fails is told in its turn.
      for (const reading of readings) reading.catch(() => {})
      for (const reading of readings) {
        const fields = await reading
        for (const [name, value] of Object.entries(fields ?? {})) {
          if (value === undefined) continue
          await text.write(separator)
          separator = ','
          await text.field(name, value)
        }
      }
      await text.flush()
    })
    const limit = setTimeout(() => text.stream.destroy(new Error('this state took too long')), longest)
    read.then(
      () => {
        clearTimeout(limit)
        text.stream.end()
      },
      (error) => {
        clearTimeout(limit)
        text.begun.reject(error)
        text.stream.destroy(error)
      },
    )
    await text.begun.promise
    return text.stream
  }
}
