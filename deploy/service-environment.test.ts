import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@parley/contracts'
import { tokenSigner, tokenVerifier } from '@parley/kit'
import { afterAll, describe, expect, it } from 'vitest'
import { stackKeys } from './keys.ts'
import { servicesWithDatabase } from './preparation.ts'
import { Secrets } from './secrets.ts'
import { serviceEnvironment, type Wiring } from './service-environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-environment-'))
afterAll(() => rmSync(folder, { recursive: true }))

const wiring: Wiring = {
  publicUrl: 'http://localhost:9991',
  addresses: {
    DATABASE_URL: 'postgres://admin:secret@127.0.0.1/postgres',
    REDIS_URL: 'redis://127.0.0.1:1',
    KAFKA_BROKERS: '127.0.0.1:2',
    S3_ENDPOINT: 'http://127.0.0.1:3',
    S3_ACCESS_KEY: 'parley',
    S3_SECRET_KEY: 'store-secret',
    S3_REGION: 'us-east-1',
  },
  databaseUrls: Object.fromEntries(
    servicesWithDatabase.map((service) => [service, `postgres://${service}@127.0.0.1/${service}`]),
  ) as Wiring['databaseUrls'],
  bucket: 'parley',
  keys: stackKeys(new Secrets(folder)),
  urls: Object.fromEntries(
    serviceNames.map((name) => [
      name,
      name === 'channels' ? ['http://one', 'http://two'] : [`http://${name}`],
    ]),
  ) as Wiring['urls'],
  settings: {
    DATABASE_URL: 'postgres://admin:secret@127.0.0.1/postgres',
    RATE_LIMITS: 'on',
    SECRET_KEY: 'mine',
  },
}
const environmentOf = (service: (typeof serviceNames)[number]) =>
  serviceEnvironment(service, { port: 10, opsPort: 11 }, wiring)

describe("a service's environment", () => {
  it.each(serviceNames)(
    'of %s never holds what only the administrator or another service may have',
    (service) => {
      const text = JSON.stringify(environmentOf(service))
      expect(text).not.toContain('admin:secret')
      expect(text.includes('store-secret')).toBe(service === 'identity' || service === 'uploads')
      for (const owner of ['identity', 'invitations'] as const) {
        expect(text.includes(wiring.keys.secretKeys[owner])).toBe(service === owner)
      }
      const others = serviceNames.filter((name) => name !== service).map((name) => wiring.keys.signing[name])
      expect(others.filter((key) => text.includes(key))).toEqual([])
    },
  )

  it('names all replicas of the others, and hands settings on', () => {
    const environment = environmentOf('gateway')
    expect(environment.CHANNELS_URL).toBe('http://one,http://two')
    expect(environment.EVENT_QUEUE_URL).toBe('http://event-queue')
    expect(environment.RATE_LIMITS).toBe('on')
    expect(environment).toMatchObject({ PORT: '10', OPS_PORT: '11', MODE: 'development', HOST: '127.0.0.1' })
  })

  it('holds keys that the kit signs and verifies with, the same after a restart', async () => {
    const { SIGNING_KEY } = environmentOf('channels')
    const again = stackKeys(new Secrets(folder))
    const token = await tokenSigner('channels', SIGNING_KEY!).sign(null)
    const verifier = tokenVerifier({ TRUSTED_KEYS: JSON.parse(again.trusted) })
    expect(await verifier.verify(token)).toEqual({ issuer: 'channels', caller: null })
  })
})
