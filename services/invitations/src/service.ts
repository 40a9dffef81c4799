import { invitations } from '@parley/contracts/invitations/index'
import { defineService } from '@parley/kit'
import { config } from './config.ts'

export const service = defineService({
  contract: invitations,
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
