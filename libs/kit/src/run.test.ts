import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { eventually } from '@parley/testkit'
import { afterEach, describe, expect, it } from 'vitest'

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const { privateKey } = generateKeyPairSync('ed25519')
const goodSettings = {
  HOST: '127.0.0.1',
  MODE: 'development',
  PUBLIC_URL: 'http://localhost:1',
  SIGNING_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  TRUSTED_KEYS: '{}',
  LOG_LEVEL: 'info',
}

/** Runs a service that opens no engine and answers one slow request. */
const start = (settings: Record<string, string>): { child: ChildProcess; output: () => string } => {
  const script = new URL('testing/slow-service.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk
    })
  }
  return { child, output: () => text }
}

describe('configuration', () => {
  it.each([
    ['MODE', { MODE: 'holiday' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'nowhere' }],
    ['PORT', { PORT: 'seven' }],
    ['TRUSTED_KEYS', { TRUSTED_KEYS: '{' }],
    ['OWN_SETTING', { OWN_SETTING: 'x' }],
  ])('a wrong %s stops the start and is named', async (name, wrong) => {
    const { child, output } = start({ ...goodSettings, ...wrong })
    const [code] = await once(child, 'exit')
    expect(code).toBe(78)
    expect(output()).toContain(`${name}: `)
  })
})

describe('shutdown', () => {
  it('is not ready while it finishes the request that it has, then ends well', {
    timeout: 120_000,
  }, async () => {
    const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())]
    const { child } = start({ ...goodSettings, PORT, OPS_PORT })
    const ops = (path: string) => fetch(`http://127.0.0.1:${OPS_PORT}${path}`)
    await eventually(async () => expect((await ops('/ready')).status).toBe(200), 50)
    expect((await ops('/health')).status).toBe(200)
    expect(await (await ops('/metrics')).text()).toContain('parley_request_duration_seconds')

    const slow = fetch(`http://127.0.0.1:${PORT}/slow`)
    await eventually(async () => {
      expect(await (await ops('/metrics')).text()).toContain('slow_requests_open 1')
    })
    child.kill('SIGTERM')
    await eventually(async () => expect((await ops('/ready')).status).toBe(503))
    expect((await ops('/health')).status).toBe(200)
    child.kill('SIGUSR2')
    const answer = await slow
    expect([answer.status, await answer.text()]).toEqual([200, 'finished'])
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })

  it('answers what comes on a connection that was idle when it began, as the last on it', {
    timeout: 60_000,
  }, async () => {
    const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())]
    const { child } = start({ ...goodSettings, PORT, OPS_PORT })
    const ready = async () => (await fetch(`http://127.0.0.1:${OPS_PORT}/ready`)).status
    await eventually(async () => expect(await ready()).toBe(200), 50)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async () => {
      const asked = get({ agent, port: PORT, path: '/quick' })
      const [answer] = await once(asked, 'response')
      answer.resume()
      await once(answer, 'end')
      return { connection: answer.headers.connection, port: asked.socket?.localPort }
    }
    const first = await ask()
    child.kill('SIGTERM')
    await eventually(async () => expect(await ready()).toBe(503))
    expect(await ask()).toEqual({ connection: 'close', port: first.port })
    await expect(ask()).rejects.toThrow('ECONNREFUSED')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })
})
