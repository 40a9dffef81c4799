import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { ApiError } from '@parley/contracts'
import { sendMessage } from '@parley/contracts/channels/messages'
import { afterEach, expect, it } from 'vitest'
import { type Asked, type LinkedOutcome, linked } from '../testing/linked.ts'
import { type House, hamlet, smallHouse } from '../testing/small-house.ts'

let house: House
afterEach(() => house.close())

/** Others use the machine too. */
const patience = { timeout: 20_000 }

/** A house whose channels answer sends over links, and tell requests of their own apart. */
const briefHouse = async (
  answer: (asked: Asked) => LinkedOutcome | Promise<LinkedOutcome>,
  parts: Parameters<typeof smallHouse>[0] = {},
) => {
  const asked: Asked[] = []
  const requests: { type: string | undefined; body: string }[] = []
  house = await smallHouse({
    linkedChannels: linked('sendMessage', sendMessage, (one) => {
      asked.push(one)
      return answer(one)
    }),
    channels: async (request: IncomingMessage, response: ServerResponse) => {
      requests.push({ type: request.headers['content-type'], body: await text(request) })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":"success","way":"own"}')
    },
    ...parts,
  })
  return { asked, requests }
}

const form = 'application/x-www-form-urlencoded'
const send = (body: string, headers: Record<string, string> = {}, path = '/api/v1/messages') =>
  house.fetch(path, { method: 'POST', body, headers: { 'content-type': form, ...headers } })

it('carries small forms over a link, whole, in the name of who sends them', async () => {
  const { asked, requests } = await briefHouse(({ sent }) => JSON.stringify({ way: 'link', sent }))
  const sent = await send(
    'content=%C3%B6%E2%82%AC%F0%9F%98%80+a%26b&topic=x&topic=y',
    {},
    '/api/v1/messages?type=channel&topic=z',
  )
  expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await sent.json()).toEqual({
    way: 'link',
    sent: { type: 'channel', content: 'ö€😀 a&b', topic: 'y' },
  })
  expect(sent.headers.get('x-request-id')).toBe(asked[0]!.call.request.id)
  expect(asked[0]!.call).toMatchObject({ caller: { user: { id: 10 } }, request: { method: 'POST' } })
  expect((await send('', { 'content-type': `${form}; charset=utf-8` })).status).toBe(200)
  expect([asked.length, requests.length]).toEqual([2, 0])
})

it('asks with a request of its own where the body is something else, or large', async () => {
  const { asked, requests } = await briefHouse(() => '{}')
  const large = `content=${'x'.repeat(20_000)}`
  for (const [body, type] of [
    ['{"content":"x"}', 'application/json'],
    [
      '--b\r\ncontent-disposition: form-data; name="content"\r\n\r\nx\r\n--b--\r\n',
      'multipart/form-data; boundary=b',
    ],
    ['x', 'application/x-www-form-urlencoded-not'],
    [large, form],
  ] as const) {
    expect(await (await send(body, { 'content-type': type })).json()).toMatchObject({ way: 'own' })
    expect(requests.at(-1)).toEqual({ type, body })
  }
  expect(asked).toEqual([])
})

it('asks with a request of its own where the service knows no links, with the same form', async () => {
  const { requests } = await briefHouse(() => '{}', { linkedChannels: new Map() })
  expect(await (await send('content=a+b%26&to=x')).json()).toMatchObject({ way: 'own' })
  expect(requests).toEqual([{ type: form, body: 'content=a+b%26&to=x' }])
})

it('hands refusals over, of too many parameters too', async () => {
  await briefHouse(() => new ApiError('STREAM_DOES_NOT_EXIST', "Channel 'x' does not exist", { stream: 'x' }))
  const refused = await send('content=x')
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { result: 'error', msg: "Channel 'x' does not exist", code: 'STREAM_DOES_NOT_EXIST', stream: 'x' },
  ])
  const many = await send('a&'.repeat(1001))
  expect([many.status, await many.json()]).toMatchObject([400, { msg: 'There are too many parameters.' }])
})

it('does not ask twice when a link breaks: nobody knows what became of the first', async () => {
  const { asked, requests } = await briefHouse(() => new Promise<LinkedOutcome>(() => {}))
  const answer = send('content=x')
  await expect.poll(() => asked.length, patience).toBe(1)
  house.breakLinks()
  const { status, headers } = await answer
  expect([status, headers.get('content-type')]).toEqual([503, 'application/json'])
  expect([asked.length, requests.length]).toEqual([1, 0])
  // The next one finds its way over a new link.
  void send('content=y').catch(() => {})
  await expect.poll(() => asked.length, patience).toBe(2)
})

it('does not ask once more for an answer that is too long for a link', async () => {
  const { asked, requests } = await briefHouse(() => `"${'x'.repeat(300_000)}"`)
  expect((await send('content=x')).status).toBe(500)
  expect([asked.length, requests.length]).toEqual([1, 0])
})

it('tells the service that its client is gone', async () => {
  const { asked } = await briefHouse(() => new Promise<LinkedOutcome>(() => {}))
  const socket = connect(house.port, '127.0.0.1')
  socket.write(
    `POST /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nContent-Type: ${form}\r\nContent-Length: 9\r\n\r\ncontent=x`,
  )
  await expect.poll(() => asked.length, patience).toBe(1)
  const gone = once(asked[0]!.call.request.gone, 'abort')
  socket.destroy()
  await gone
})

it('gives up on who does not answer in time', async () => {
  await briefHouse(() => new Promise<LinkedOutcome>(() => {}), { answer: 100 })
  const { status } = await send('content=x')
  expect(status).toBe(503)
})
