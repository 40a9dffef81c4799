/** Whom the parameters `type` and `to` mean; no I/O. */
import { limits, refuse } from '@parley/contracts'

export type Recipients = number | string | readonly number[] | readonly string[]

/** A channel, as the request names it. */
export type ChannelReference = { readonly id: number } | { readonly name: string }

/** @throws ApiError BAD_REQUEST unless `to` is exactly one channel. */
export const channelReference = (to: Recipients): ChannelReference => {
  const named = typeof to === 'object' ? to : [to]
  if (named.length !== 1) throw refuse('BAD_REQUEST', 'Expected exactly one channel')
  const only = named[0]!
  return typeof only === 'number' ? { id: only } : { name: only.trim() }
}

export interface PeopleReference {
  readonly ids: number[]
  /** Lower case. */
  readonly emails: string[]
}

/**
 * IDs, e-mails, or one text of e-mails with commas.
 *
 * @throws ApiError BAD_REQUEST when nobody is named, or more people than a conversation may have.
 */
export const peopleReference = (to: Recipients): PeopleReference => {
  const named: (number | string)[] =
    typeof to === 'string' ? to.split(',') : typeof to === 'number' ? [to] : [...to]
  const ids = named.filter((one) => typeof one === 'number')
  const emails = named
    .filter((one) => typeof one === 'string')
    .map((email) => email.trim().toLowerCase())
    .filter((email) => email !== '')
  if (ids.length + emails.length === 0) throw refuse('BAD_REQUEST', 'Message must have recipients!')
  if (named.length > limits.maxDirectRecipients) {
    throw refuse('BAD_REQUEST', `to is too large (limit: ${limits.maxDirectRecipients})`)
  }
  return { ids: [...new Set(ids)], emails: [...new Set(emails)] }
}
