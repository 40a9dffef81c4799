import { expect, it } from 'vitest'
import { startGateway } from './testing/gateway-process.ts'

it('starts and serves while Kafka, Redis and every service are away', async () => {
  const gateway = await startGateway()
  try {
    const page = await fetch(`http://127.0.0.1:${gateway.port}/api/`)
    expect(page.status).toBe(200)
    await page.text()
    expect(await gateway.leave()).toEqual([0, null])
  } finally {
    gateway.kill()
  }
})
