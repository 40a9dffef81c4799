import { z } from 'zod'
import { Role } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Invitation } from '../objects/invitation.ts'
import { codePoints, Id } from '../objects/values.ts'
import { quotable } from '../parameter.ts'
import { invitesChanged } from './events.ts'

const welcomeText = quotable(
  z
    .string()
    .refine((text) => codePoints(text) <= limits.maxWelcomeMessageLength, {
      message: `welcome_message_custom_text is too long (limit: ${limits.maxWelcomeMessageLength} characters)`,
    })
    // Clients write null as JSON, also where a string is due.
    .transform((text) => (text === 'null' ? null : text)),
)

const terms = {
  /** Null never expires; not sent, the server's INVITATION_LINK_VALIDITY_MINUTES. */
  invite_expires_in_minutes: z.int().positive().max(limits.maxInvitationMinutes).nullable().optional(),
  /** Never above the caller's own role. */
  invite_as: Role.default(400),
  group_ids: z.array(z.int()).max(1000).default([]),
  include_realm_default_subscriptions: z.boolean().default(false),
  /** Administrators only, null for others: null for the organization's own text, empty for none. */
  welcome_message_custom_text: welcomeText.optional(),
}

export const createMultiuseInvite = endpoint({
  method: 'POST',
  path: '/invites/multiuse',
  service: 'invitations',
  summary:
    'Create a reusable invitation link; for members of the realm setting create_multiuse_invite_group.',
  access: 'human',
  params: { ...terms, stream_ids: z.array(z.int()).max(1000).default([]) },
  reply: { invite_link: z.string() },
  emits: [invitesChanged],
})

export const listInvites = endpoint({
  method: 'GET',
  path: '/invites',
  service: 'invitations',
  summary: "Open invitations: all of the organization for administrators, for others the caller's own.",
  access: 'human',
  params: {},
  reply: { invites: z.array(Invitation) },
})

export const revokeMultiuseInvite = endpoint({
  method: 'DELETE',
  path: '/invites/multiuse/{invite_id}',
  service: 'invitations',
  summary: 'End a reusable invitation link; for administrators and who created it.',
  access: 'human',
  params: { invite_id: Id },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [invitesChanged],
})

export const sendInvites = endpoint({
  method: 'POST',
  path: '/invites',
  service: 'invitations',
  summary: 'Invite people by e-mail; for members of the realm setting can_invite_users_group.',
  access: 'human',
  params: {
    /** Separated by commas or line breaks. */
    invitee_emails: z.string(),
    ...terms,
    stream_ids: z.array(z.int()).max(1000),
    notify_referrer_on_join: z.boolean().default(true),
  },
  reply: {},
  errors: ['INVITATION_FAILED'],
  emits: [invitesChanged],
})

export const revokeInvite = endpoint({
  method: 'DELETE',
  path: '/invites/{invite_id}',
  service: 'invitations',
  summary: 'End an invitation that was sent by e-mail; for administrators and who sent it.',
  access: 'human',
  params: { invite_id: Id },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [invitesChanged],
})

export const resendInvite = endpoint({
  method: 'POST',
  path: '/invites/{invite_id}/resend',
  service: 'invitations',
  summary: 'Send an invitation once more, with a new link and its whole time again; the old link ends.',
  access: 'human',
  params: { invite_id: Id },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [invitesChanged],
})
