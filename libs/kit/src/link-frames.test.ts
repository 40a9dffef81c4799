import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { FrameReader, FrameWriter, frameKinds } from './link-frames.ts'

it('writes once what is said in one turn of the event loop, whoever says it', async () => {
  const writes: Buffer[] = []
  const socket = new Writable({
    writev: (chunks, done) => {
      writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)))
      done()
    },
  })
  const writer = new FrameWriter(socket as Socket)
  // As of requests that arrive on several connections: each is handled to its end before the next.
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      for (const number of [1, 2, 3]) {
        setTimeout(() => writer.write(number, frameKinds.ask, `request ${number}`))
      }
      setTimeout(() => setImmediate(resolve))
    })
  })
  const frames = writes.map((written) =>
    [...new FrameReader().read(written)].map(({ content }) => content.toString()),
  )
  expect(frames).toEqual([['request 1', 'request 2', 'request 3']])
})
