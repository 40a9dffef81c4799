import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayProcess, startGateway } from '../testing/gateway-process.ts'

const gateways: GatewayProcess[] = []
beforeAll(async () => {
  const { REDIS_URL } = process.env
  if (REDIS_URL === undefined) throw new Error('REDIS_URL is not set: run through npm test, or start a stack')
  const settings = {
    REDIS_URL,
    RATE_LIMITS: 'on',
    RATE_LIMIT_ANONYMOUS: '200/3600',
    // Callers of this test come from an address of their own.
    TRUSTED_PROXIES: '127.0.0.0/8',
  }
  gateways.push(...(await Promise.all([1, 2, 3].map(() => startGateway(settings)))))
}, 60_000)
afterAll(() => {
  for (const gateway of gateways) gateway.kill()
})

it('a thousand calls at once through several processes: exactly the limit is admitted', async () => {
  const from = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
  const call = async (port: number): Promise<Response> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/reference.css`, {
      headers: { 'x-forwarded-for': from },
    })
    await answer.arrayBuffer()
    return answer
  }
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, number) => call(gateways[number % gateways.length]!.port)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(200)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(800)
  for (const { headers } of refused) {
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000)
  }
})
