import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { connect, createServer as createBalancer, type Server } from 'node:net'
import { sendMessage } from '@parley/contracts/channels/messages'
import { type TokenSigner, tokenSigner, tokenVerifier } from '@parley/kit/caller-token'
import { baseConfig } from '@parley/kit/config'
import { requestLinks } from '@parley/kit/request-links'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { linked } from '../testing/linked.ts'
import { listening } from '../testing/small-house.ts'
import { LinkPool, loads } from './link-pool.ts'

/** Others use the machine too. */
const patience = { timeout: 20_000, interval: 5 }

const closings: (() => void)[] = []
afterEach(() => {
  for (const close of closings.splice(0).toReversed()) close()
})

const keys = generateKeyPairSync('ed25519')
const signing = keys.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
const trusted = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const signer: TokenSigner = tokenSigner('gateway', signing)
const config = baseConfig.parse({
  PUBLIC_URL: 'http://chat.test',
  SIGNING_KEY: signing,
  TRUSTED_KEYS: JSON.stringify({ gateway: trusted }),
})
const caller = { realm: { id: 1, subdomain: '', url: 'http://chat.test' }, user: null, client: 'x' }

/** A process of a service that answers with its name, when it may. */
const replica = async (name: string, mayAnswer: () => Promise<void> = async () => {}) => {
  const server = createServer()
  let links = 0
  server.on('upgrade', () => {
    links += 1
  })
  requestLinks(server, {
    endpoints: linked('sendMessage', sendMessage, () => mayAnswer().then(() => name)),
    verifier: tokenVerifier(config),
    log: pino({ level: 'silent' }),
  })
  closings.push(() => server.close())
  return { port: await listening(server), links: () => links }
}

/** One address in front of several processes: each connection goes to the next of them. */
const balanced = async (ports: readonly number[]): Promise<string> => {
  let turn = 0
  const balancer: Server = createBalancer((socket) => {
    const upstream = connect(ports[turn++ % ports.length]!, '127.0.0.1')
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  closings.push(() => balancer.close())
  return `http://127.0.0.1:${await listening(balancer as never)}`
}

const pool = (url: string, age?: number): LinkPool => {
  const made = new LinkPool(url, signer, age)
  closings.push(() => made.close())
  return made
}

const ask = async (links: LinkPool, load: number): Promise<string> => {
  const question = {
    operation: 'sendMessage',
    query: '',
    form: '',
    caller: await signer.sign(caller),
    request: 'x',
  }
  return new Promise((resolve, reject) => {
    const asker = {
      answered: ({ body }: { body: Buffer }) => resolve(body.toString()),
      elsewhere: () => reject(new Error('elsewhere')),
      unreachable: reject,
      failed: reject,
    }
    links.ask({ question, asker, load, patience: 60_000 })
  })
}

it('opens more links the more is asked at once, so that all processes behind an address have their part', async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  const replicas = [await replica('one', () => mayAnswer), await replica('two', () => mayAnswer)]
  const links = pool(await balanced(replicas.map(({ port }) => port)))
  const opened = () => replicas.reduce((sum, each) => sum + each.links(), 0)
  const answers: Promise<string>[] = []
  // Each opens one more link, when those that there are have enough to do.
  for (let wanted = 1; wanted <= 6; wanted += 1) {
    await expect
      .poll(() => {
        if (opened() < wanted) answers.push(ask(links, loads.brief))
        return opened()
      }, patience)
      .toBe(wanted)
  }
  answer()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['one', 'two']))
  expect(replicas.map((each) => each.links())).toEqual([3, 3])
})

it('keeps one link for a few polls, and no more than sixteen for anything', async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  const one = await replica('one', () => mayAnswer)
  const links = pool(`http://127.0.0.1:${one.port}`)
  const answers = Array.from({ length: 200 }, () => ask(links, loads.poll))
  await expect.poll(() => one.links(), patience).toBe(1)
  await expect
    .poll(() => {
      answers.push(ask(links, loads.brief))
      return one.links()
    }, patience)
    .toBe(16)
  for (let more = 0; more < 50; more += 1) answers.push(ask(links, loads.brief))
  answer()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['one']))
  expect(one.links()).toBe(16)
})

it('replaces links that are old, so that a new process gets its part, and loses nothing on the way', async () => {
  const first = await replica('first')
  const ports = [first.port]
  const links = pool(await balanced(ports), 40)
  expect(await ask(links, loads.poll)).toBe('first')
  const second = await replica('second')
  ports.push(second.port)
  const counts = { first: 0, second: 0 }
  await expect
    .poll(async () => {
      for (const name of await Promise.all(Array.from({ length: 20 }, () => ask(links, loads.poll)))) {
        counts[name as 'first'] += 1
      }
      return Math.min(counts.first - 100, counts.second - 100)
    }, patience)
    .toBeGreaterThan(0)
})

it('says that nothing was asked when no link can be opened', async () => {
  const one = await replica('one')
  const url = `http://127.0.0.1:${one.port}`
  closings.pop()!()
  await expect(ask(pool(url), loads.brief)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
