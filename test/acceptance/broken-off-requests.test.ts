/**
 * Whoever leaves in the middle of a request, or of its answer, hurts nobody else: no process ends, and none meets what it
 * had not foreseen (the logs are looked through at the end of the run). BROKEN_REQUESTS says how many are made,
 * BROKEN_SEED makes others.
 */
import { connect } from 'node:net'
import { type AnyEndpoint, contracts, serviceNames } from '@parley/contracts'
import { type Client, seededRandom, succeeded, World } from '@parley/testkit'
import { expect, it } from 'vitest'
import { type HostileRequest, hostileRequest } from './hostile-requests.ts'

const wanted = Number(process.env.BROKEN_REQUESTS ?? 6000)
const seed = Number(process.env.BROKEN_SEED ?? 221_123)
const atOnce = 24

/** A file behind the parameters, so that the body is passed on while it arrives. */
const withFile = ({ headers, body }: HostileRequest, bytes: number): HostileRequest['body'] => {
  const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1]
  if (boundary === undefined || body === undefined) return Buffer.alloc(bytes, 'x')
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="f.txt"\r\n\r\n`
  const parameters = body.subarray(0, Math.max(0, body.lastIndexOf(`--${boundary}--`)))
  return Buffer.concat([parameters, Buffer.from(part), Buffer.alloc(bytes, 'x')])
}

interface Breaking {
  /** Of the body that is sent. */
  readonly share: number
  readonly isChunked: boolean
  /** One more line of the head. */
  readonly header: string | undefined
  /** What is sent after the piece of the body. */
  readonly tail: string
  /** Milliseconds until the client leaves in any case. */
  readonly patience: number
}

/** Sends a piece of a request on a connection of its own, and leaves: at once, after a while, or when an answer comes. */
const breakOff = (
  client: Client,
  sent: HostileRequest,
  { share, isChunked, header, tail, patience }: Breaking,
): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(client.origin)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.on('data', () => socket.destroy())
    setTimeout(() => socket.destroy(), patience)
    const { credentials } = client
    const key = credentials && Buffer.from(`${credentials.email}:${credentials.key}`).toString('base64')
    const { body } = sent
    const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body?.length}`
    const head = [
      `${sent.method} ${sent.target} HTTP/1.1`,
      `host: ${client.host}`,
      ...(key === undefined ? [] : [`authorization: Basic ${key}`]),
      ...Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined ? [] : [length]),
      ...(header === undefined ? [] : [header]),
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    if (body === undefined) return void socket.write(tail)
    const piece = body.subarray(0, Math.ceil(body.length * share))
    if (isChunked) socket.write(`${piece.length.toString(16)}\r\n`)
    socket.write(piece)
    socket.write(isChunked ? `\r\n${tail}` : tail)
  })

/** When each process was started, as it says itself. */
const beginnings = async (): Promise<Record<string, string | undefined>> => {
  const opsUrls = JSON.parse(process.env.PARLEY_OPS!) as Record<string, string>
  const found = serviceNames.map(async (service) => {
    const metrics = await (await fetch(`${opsUrls[service]}/metrics`)).text()
    return [service, /^process_start_time_seconds.*$/m.exec(metrics)?.[0]] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

it(
  `no process ends because somebody leaves (BROKEN_SEED=${seed})`,
  async () => {
    const random = seededRandom(seed)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
    const endpoints = Object.values(contracts).flatMap(({ endpoints }) =>
      Object.values(endpoints as Record<string, AnyEndpoint>),
    )
    const world = await World.create()
    const clients = [await world.user({ role: 'owner' }), await world.user(), world.stranger()]
    const before = await beginnings()
    let made = 0
    const work = async (): Promise<void> => {
      while (made < wanted) {
        made += 1
        const wish = hostileRequest(random, pick(endpoints))
        const hasBody = wish.method !== 'GET' && wish.method !== 'HEAD'
        const body = hasBody && random() < 0.5 ? withFile(wish, pick([1000, 30_000, 200_000])) : wish.body
        await breakOff(
          pick(clients),
          { ...wish, body },
          {
            share: pick([0, 0.5, 0.9, 1]),
            isChunked: random() < 0.4,
            header: pick([
              undefined,
              undefined,
              'expect: 100-continue',
              'upgrade: websocket\r\nconnection: upgrade',
            ]),
            tail: pick(['', '', 'zz\r\n', '0\r\nx: y\r\n', 'GET /api/v1/users HTTP/1.1\r\nhost: x\r\n']),
            patience: pick([1, 5, 20, 100]),
          },
        )
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await succeeded(world.stranger().get('/server_settings'))
    expect(await beginnings()).toEqual(before)
  },
  wanted * 50 + 60_000,
)
