import { presence } from '@parley/contracts/presence/index'
import { defineService } from '@parley/kit'
import { config } from './config.ts'

export const service = defineService({
  contract: presence,
  config,
  open: async (opening) => ({ redis: await opening.redis(), bus: await opening.bus() }),
  endpoints: {},
  internals: {},
  sections: {},
})
