import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

export const listCapturedMail = endpoint({
  method: 'GET',
  path: '/captured_mail',
  service: 'invitations',
  summary:
    'Development mode only: mail of the organization that was kept instead of being sent, newest first.',
  access: 'anyone',
  realmless: true,
  params: {},
  reply: {
    mails: z.array(
      z.strictObject({
        to: z.string(),
        subject: z.string(),
        text: z.string(),
        html: z.string(),
        written: z.int(),
      }),
    ),
  },
  errors: ['RESOURCE_NOT_FOUND'],
})

export const showCapturedMail = endpoint({
  method: 'GET',
  path: '/emails',
  service: 'invitations',
  summary: 'Development mode only: the captured mail as a page.',
  access: 'anyone',
  root: 'server',
  doors: 'files',
  answer: 'stream',
  realmless: true,
  params: {},
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
})

/** What stands in the addresses of `List-Unsubscribe`. */
const unsubscribing = { email: z.string(), key: z.string() }

export const showUnsubscribing = endpoint({
  method: 'GET',
  path: '/unsubscribe',
  service: 'invitations',
  summary: "A page that asks whether an address wants no more of the organization's invitations.",
  access: 'anyone',
  root: 'server',
  doors: 'files',
  answer: 'stream',
  params: unsubscribing,
  reply: {},
})

export const unsubscribe = endpoint({
  method: 'POST',
  path: '/unsubscribe',
  service: 'invitations',
  summary: "An address wants no more of the organization's invitations (RFC 8058, one click).",
  access: 'anyone',
  root: 'server',
  doors: 'files',
  answer: 'stream',
  params: unsubscribing,
  reply: {},
})
