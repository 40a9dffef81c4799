import { invitations } from '@parley/contracts/invitations/index'
import { defineService } from '@parley/kit'
import { config } from './config.ts'
import { claimInviters } from './inviters/inviter-store.ts'
import { judgeInviter } from './inviters/judge-inviter.ts'
import { onRightsChanged } from './inviters/on-rights-changed.ts'
import { createMultiuseInvite } from './invites/create-multiuse-invite.ts'
import { linkKeys } from './invites/link-keys.ts'
import { listInvites } from './invites/list-invites.ts'
import { revokeMultiuseInvite } from './invites/revoke-multiuse-invite.ts'
import { addRealmDomain } from './realm-domains/add-realm-domain.ts'
import { listRealmDomains } from './realm-domains/list-realm-domains.ts'
import { realmDomainsSection } from './realm-domains/realm-domains-section.ts'
import { removeRealmDomain } from './realm-domains/remove-realm-domain.ts'
import { updateRealmDomain } from './realm-domains/update-realm-domain.ts'
import type { Deps } from './room.ts'
import { workLoop } from './working/work-loop.ts'

export const service = defineService({
  contract: invitations,
  config,
  open: async ({ config, log, ask, ...opening }): Promise<Deps> => {
    const database = await opening.database()
    // Without Kafka announcements wait in the outbox; everything can be read and changed all the same.
    const bus = await opening.bus({ needed: false })
    await opening.relay({ database, bus })
    const judge = workLoop({
      what: 'the judgement of an inviter',
      claim: (limit) => claimInviters(database.sql, limit),
      perform: (inviter) => judgeInviter({ ask, database }, inviter),
      log,
    })
    return {
      log,
      database,
      bus,
      ask,
      keys: linkKeys(config.SECRET_KEY),
      publicUrl: config.PUBLIC_URL,
      linkValidity: config.INVITATION_LINK_VALIDITY_MINUTES,
      judge,
    }
  },
  start: async (deps) => [deps.judge, ...(await onRightsChanged(deps))],
  endpoints: {
    listRealmDomains,
    addRealmDomain,
    updateRealmDomain,
    removeRealmDomain,
    createMultiuseInvite,
    listInvites,
    revokeMultiuseInvite,
  },
  internals: {},
  sections: { realmDomainsSection },
})
