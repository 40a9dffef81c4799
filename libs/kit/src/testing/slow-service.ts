/** A service for run.test.ts: no engines, one quick request, and one that lasts until the process is sent SIGUSR2. */
import { createServer } from 'node:http'
import { serviceContract } from '@parley/contracts'
import { Gauge } from 'prom-client'
import { z } from 'zod'
import { run } from '../run.ts'
import { defineService } from '../service.ts'

const open = new Gauge({ name: 'slow_requests_open', help: 'Requests that wait for the signal.' })

await run(
  defineService({
    contract: serviceContract('presence', { endpoints: {}, internals: {}, sections: {} }),
    config: z.object({ OWN_SETTING: z.coerce.number().optional().describe('A setting of its own.') }),
    open: async () => ({}),
    endpoints: {},
    internals: {},
    sections: {},
    server: () =>
      createServer((request, response) => {
        if (request.url === '/quick') return void response.end('at once')
        open.inc()
        process.once('SIGUSR2', () => {
          open.dec()
          response.end('finished')
        })
      }),
  }),
)
