import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { openBlobStore } from '@parley/blob'
import { type StackAddress, type TestUser, World } from '@parley/testkit'
import { request } from 'undici'

/** Where the store is, and the process whose memory is looked at. */
interface Under {
  readonly store: { endpoint: string; accessKey: string; secretKey: string; region: string; bucket: string }
  readonly pid: () => number
}

/** So many MiB, in pieces as a socket gives them. */
function* bytes(mebibytes: number): Generator<Buffer> {
  const piece = randomBytes(64 * 1024)
  for (let n = 0; n < mebibytes * 16; n += 1) yield piece
}

const authorization = ({ credentials }: TestUser): string =>
  `Basic ${Buffer.from(`${credentials!.email}:${credentials!.key}`).toString('base64')}`

const upload = async (origin: string, user: TestUser, mebibytes: number): Promise<string> => {
  const boundary = 'a-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n`
  const body = Readable.from(
    (function* () {
      yield Buffer.from(head)
      yield* bytes(mebibytes)
      yield Buffer.from(`\r\n--${boundary}--\r\n`)
    })(),
  )
  const answer = await request(`${origin}/api/v1/user_uploads`, {
    method: 'POST',
    headers: {
      host: user.host,
      authorization: authorization(user),
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body,
    headersTimeout: 300_000,
  })
  const reply = (await answer.body.json()) as { url?: string }
  if (reply.url === undefined) throw new Error(`an upload was refused: ${JSON.stringify(reply)}`)
  return reply.url
}

const drained = async (stream: AsyncIterable<Buffer>): Promise<number> => {
  let size = 0
  for await (const chunk of stream) size += chunk.length
  return size
}

/** MiB per second of some work on so many MiB. */
const rate = async (mebibytes: number, work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (mebibytes * 1000) / (performance.now() - began)
}

const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** Uploads and downloads through the system, beside the same by the client of the store alone; MiB/s, and the ratio. */
export const uploadSpeed = async (stack: StackAddress, { store }: Under, files: number) => {
  const world = await World.create(stack)
  const user = await world.user()
  const bare = await openBlobStore(store)
  const [size, all] = [50, 50 * files]
  const keys = Array.from({ length: files }, (_, n) => `bench/${n}`)
  const putBare = (key: string) =>
    bare.put(key, Readable.from(bytes(size)), { contentType: 'application/octet-stream' })
  const getBare = async (key: string) => drained((await bare.get(key))! as AsyncIterable<Buffer>)
  const get = async (url: string) => {
    const headers = { host: user.host, authorization: authorization(user) }
    return drained((await request(`${stack.origin}${url}`, { headers })).body)
  }
  // Once for the compilers.
  await upload(stack.origin, user, size)
  await putBare('bench/warm')
  const urls: string[] = []
  const figures = {
    'store, up': await rate(all, async () => {
      for (const key of keys) await putBare(key)
    }),
    up: await rate(all, async () => {
      for (const _ of keys) urls.push(await upload(stack.origin, user, size))
    }),
    'store, down': await rate(all, async () => {
      for (const key of keys) await getBare(key)
    }),
    down: await rate(all, async () => {
      for (const url of urls) await get(url)
    }),
  }
  await bare.delete([...keys, 'bench/warm'])
  return {
    ...figures,
    'up, ratio': figures.up / figures['store, up'],
    'down, ratio': figures.down / figures['store, down'],
  }
}

/** MiB that the service's process takes at most while so many uploads of so many MiB run at once, and before. */
export const uploadMemory = async (
  stack: StackAddress,
  { pid }: Under,
  uploads: number,
  mebibytes: number,
) => {
  const world = await World.create(stack)
  const user = await world.user()
  await upload(stack.origin, user, 10)
  const idle = residentMib(pid())
  let most = idle
  const watch = setInterval(() => {
    most = Math.max(most, residentMib(pid()))
  }, 100)
  try {
    const speed = await rate(uploads * mebibytes, () =>
      Promise.all(Array.from({ length: uploads }, () => upload(stack.origin, user, mebibytes))),
    )
    return { idle, most, 'MiB/s': speed }
  } finally {
    clearInterval(watch)
  }
}
