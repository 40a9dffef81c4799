import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { serviceNames } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { expect, it } from 'vitest'
import { deadPort } from './testing/small-house.ts'

it('starts and serves while Kafka, Redis and every service are away', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const trusted = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const dead = await deadPort()
  const [port, opsPort] = [await deadPort(), await deadPort()]
  const urls = serviceNames.map((name) => [
    `${name.toUpperCase().replaceAll('-', '_')}_URL`,
    `http://127.0.0.1:${dead}`,
  ])
  const gateway = spawn(process.execPath, [new URL('./main.ts', import.meta.url).pathname], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(urls),
      MODE: 'development',
      HOST: '127.0.0.1',
      PORT: String(port),
      OPS_PORT: String(opsPort),
      PUBLIC_URL: 'http://chat.test',
      SIGNING_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      TRUSTED_KEYS: JSON.stringify({ gateway: trusted }),
      KAFKA_BROKERS: `127.0.0.1:${dead}`,
      REDIS_URL: `redis://127.0.0.1:${dead}`,
    },
  })
  const ended = once(gateway, 'exit')
  try {
    await eventually(async () => {
      expect((await fetch(`http://127.0.0.1:${opsPort}/ready`)).status).toBe(200)
    }, 40)
    const page = await fetch(`http://127.0.0.1:${port}/api/`)
    expect(page.status).toBe(200)
    await page.text()
    gateway.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  } finally {
    gateway.kill('SIGKILL')
  }
})
