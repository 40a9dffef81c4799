import { Readable } from 'node:stream'
import { type PiecedReply, StreamedReply } from './room.ts'

interface Finish {
  /** What the last piece is made into. */
  close(text: string): string
  /** Looks at the whole text; only where replies are checked, since the text is kept for it. */
  readonly check: ((whole: string) => void) | undefined
  onBroken(error: Error): void
}

const asText = (piece: string | Uint8Array): string => {
  if (typeof piece !== 'string') throw new Error('the last piece of an answer is not text')
  return piece
}

/**
 * An answer in pieces as it is sent: of one piece as any other answer, else piece by piece. What goes wrong before the
 * second piece is there is a refusal; afterwards the answer breaks off.
 */
export const sentInPieces = async (
  { pieces }: PiecedReply,
  { close, check, onBroken }: Finish,
): Promise<string | StreamedReply> => {
  const first = await pieces.next()
  if (first.done === true) throw new Error('an answer in pieces has none')
  let next = await pieces.next()
  if (next.done === true) {
    const text = asText(first.value)
    check?.(text)
    return close(text)
  }
  async function* sent() {
    let piece: string | Uint8Array = first.value
    const whole: Uint8Array[] = []
    try {
      for (;;) {
        if (check !== undefined) whole.push(Buffer.from(piece))
        if (next.done === true) break
        yield piece
        piece = next.value
        next = await pieces.next()
      }
      check?.(Buffer.concat(whole).toString())
      yield close(asText(piece))
    } finally {
      await pieces.return?.()
    }
  }
  const content = Readable.from(sent(), { objectMode: false })
  content.on('error', onBroken)
  return new StreamedReply(200, { 'content-type': 'application/json; charset=utf-8' }, content)
}
