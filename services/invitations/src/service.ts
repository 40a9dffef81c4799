import { invitations } from '@parley/contracts/invitations/index'
import { defineService } from '@parley/kit'
import { config } from './config.ts'
import { addRealmDomain } from './realm-domains/add-realm-domain.ts'
import { listRealmDomains } from './realm-domains/list-realm-domains.ts'
import { realmDomainsSection } from './realm-domains/realm-domains-section.ts'
import { removeRealmDomain } from './realm-domains/remove-realm-domain.ts'
import { updateRealmDomain } from './realm-domains/update-realm-domain.ts'
import type { Deps } from './room.ts'

export const service = defineService({
  contract: invitations,
  config,
  open: async (opening): Promise<Deps> => {
    const database = await opening.database()
    // Without Kafka announcements wait in the outbox; domains can be read and changed all the same.
    const bus = await opening.bus({ needed: false })
    await opening.relay({ database, bus })
    return { database }
  },
  endpoints: { listRealmDomains, addRealmDomain, updateRealmDomain, removeRealmDomain },
  internals: {},
  sections: { realmDomainsSection },
})
