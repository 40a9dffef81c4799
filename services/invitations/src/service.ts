import { invitations } from '@parley/contracts/invitations/index'
import { defineService } from '@parley/kit'
import { followRealmEnds, purgeOf } from '@parley/kit/follow-realm-ends'
import { holdData } from '@parley/kit/hold-data'
import { workLoop } from '@parley/kit/work-loop'
import { confirmNewAddress, showNewAddress } from './account-links/new-address-pages.ts'
import { onDeparture } from './account-links/on-departure.ts'
import {
  askForPasswordReset,
  setNewPassword,
  showNewPassword,
  showPasswordReset,
} from './account-links/password-pages.ts'
import { proveNewAddress } from './account-links/prove-new-address.ts'
import { judgeAddress } from './addresses/judge-address.ts'
import { config } from './config.ts'
import { resumeFounding } from './foundings/found.ts'
import {
  askForNewRealm,
  foundNewRealm,
  showFounderPage,
  showNewRealmPage,
} from './foundings/founding-pages.ts'
import { isFoundingOpen } from './foundings/founding-rules.ts'
import { takeFoundings } from './foundings/founding-store.ts'
import { claimInviters } from './inviters/inviter-store.ts'
import { judgeInviter } from './inviters/judge-inviter.ts'
import { onRightsChanged } from './inviters/on-rights-changed.ts'
import { createMultiuseInvite } from './invites/create-multiuse-invite.ts'
import { linkKeys } from './invites/link-keys.ts'
import { listInvites } from './invites/list-invites.ts'
import { resendInvite } from './invites/resend-invite.ts'
import { revokeInvite } from './invites/revoke-invite.ts'
import { revokeMultiuseInvite } from './invites/revoke-multiuse-invite.ts'
import { sendInvites } from './invites/send-invites.ts'
import { confirmAddress, join, showKey } from './joining/join.ts'
import { askForConfirmation, register, showJoiningPage, showRegisterPage } from './joining/joining-pages.ts'
import { claimJoinings } from './joining/joining-store.ts'
import { resumeJoining } from './joining/take-steps.ts'
import { listCapturedMail, showCapturedMail } from './mail/captured-mail.ts'
import { forgetOldMails } from './mail/forget-old-mails.ts'
import { claimMails } from './mail/mail-store.ts'
import { mailTransport } from './mail/mail-transport.ts'
import { sendMail } from './mail/send-mail.ts'
import { showUnsubscribing, unsubscribe } from './mail/unsubscribe.ts'
import { holdings } from './realm-data/holdings.ts'
import { addRealmDomain } from './realm-domains/add-realm-domain.ts'
import { listRealmDomains } from './realm-domains/list-realm-domains.ts'
import { realmDomainsSection } from './realm-domains/realm-domains-section.ts'
import { removeRealmDomain } from './realm-domains/remove-realm-domain.ts'
import { updateRealmDomain } from './realm-domains/update-realm-domain.ts'
import type { Deps } from './room.ts'

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
    const keys = linkKeys(config.SECRET_KEY)
    const publicUrl = config.PUBLIC_URL
    const isDevelopment = config.MODE === 'development'
    const host = new URL(publicUrl).hostname
    const from = config.MAIL_FROM ?? `Parley <noreply@${host}>`
    const transport = config.SMTP_URL === undefined ? null : mailTransport(config.SMTP_URL, from, host)
    if (transport !== null) {
      opening.own({ name: 'mail', ready: async () => {}, close: async () => transport.close() })
    }
    const hasMail = transport !== null || isDevelopment
    const mailer = workLoop({
      what: 'mail',
      claim: async (limit) => (hasMail ? claimMails(database.sql, limit) : []),
      perform: (mail) => sendMail({ ask, database, keys, publicUrl, log, transport }, mail),
      log,
    })
    const usher = workLoop({
      what: 'somebody on the way in',
      claim: (limit) => claimJoinings(database.sql, limit),
      perform: (joining) => resumeJoining({ ask, database, log }, joining),
      log,
    })
    const founder = workLoop({
      what: 'an organization to be made',
      claim: (limit) => takeFoundings(database.sql, limit),
      perform: (founding) => resumeFounding({ ask, database, log }, founding),
      log,
    })
    return {
      log,
      database,
      bus,
      ask,
      keys,
      publicUrl,
      linkValidity: config.INVITATION_LINK_VALIDITY_MINUTES,
      isDevelopment,
      isFoundingOpen: isFoundingOpen(config),
      invitationsPerDay: config.INVITATIONS_PER_DAY,
      hasMail,
      mailer,
      usher,
      founder,
      judge,
    }
  },
  start: async (deps) => [
    deps.judge,
    deps.mailer,
    deps.usher,
    deps.founder,
    forgetOldMails(deps.database, deps.log),
    ...(await onRightsChanged(deps)),
    await followRealmEnds({ ...deps, name: 'invitations.ends', purge: purgeOf(holdings, deps) }),
    ...(await onDeparture(deps)),
  ],
  endpoints: {
    listRealmDomains,
    addRealmDomain,
    updateRealmDomain,
    removeRealmDomain,
    createMultiuseInvite,
    listInvites,
    revokeMultiuseInvite,
    sendInvites,
    revokeInvite,
    resendInvite,
    listCapturedMail,
    showCapturedMail,
    showUnsubscribing,
    unsubscribe,
    showKey,
    confirmAddress,
    join,
    showJoiningPage,
    askForConfirmation,
    showRegisterPage,
    register,
    showNewRealmPage,
    askForNewRealm,
    showFounderPage,
    foundNewRealm,
    showNewAddress,
    confirmNewAddress,
    showPasswordReset,
    askForPasswordReset,
    showNewPassword,
    setNewPassword,
  },
  internals: { judgeAddress, proveNewAddress, ...holdData('invitations', holdings) },
  sections: { realmDomainsSection },
})
