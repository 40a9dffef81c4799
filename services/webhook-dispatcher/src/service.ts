import { webhookDispatcher } from '@parley/contracts/webhook-dispatcher/index'
import { defineService } from '@parley/kit'
import { config } from './config.ts'

export const service = defineService({
  contract: webhookDispatcher,
  config,
  open: async (opening) => {
    const database = await opening.database()
    const bus = await opening.bus()
    await opening.relay({ database, bus })
    return { database, bus }
  },
  endpoints: {},
  internals: {},
  sections: {},
})
