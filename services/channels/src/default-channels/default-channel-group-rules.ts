/** What a set of channels for newcomers may be called and hold; no I/O. */
import { limits, refuse } from '@parley/contracts'
import { codePoints } from '@parley/contracts/objects/values'
import type { ChannelRow } from '../channels/channel-store.ts'

/** @throws ApiError BAD_REQUEST when it is empty, too long, or has characters that are no text. */
export const defaultGroupName = (sent: string): string => {
  const name = sent.trim().normalize()
  if (name === '') throw refuse('BAD_REQUEST', `Invalid default channel group name '${sent}'`)
  if (codePoints(name) > limits.maxDefaultChannelGroupNameLength) {
    const limit = limits.maxDefaultChannelGroupNameLength
    throw refuse('BAD_REQUEST', `Default channel group name too long (limit: ${limit} characters)`)
  }
  if (/[\p{Cc}\p{Cs}\p{Cn}]/u.test(name)) {
    throw refuse('BAD_REQUEST', 'Default channel group name holds invalid characters.')
  }
  return name
}

/** @throws ApiError BAD_REQUEST when it is too long. */
export const defaultGroupDescription = (sent: string): string => {
  if (codePoints(sent) > limits.maxDefaultChannelGroupDescriptionLength) {
    const limit = limits.maxDefaultChannelGroupDescriptionLength
    throw refuse('BAD_REQUEST', `description is too long (limit: ${limit} characters)`)
  }
  return sent
}

/**
 * IDs of the channels that some names stand for, as members of a set: public ones that are no default channels anyway.
 *
 * @throws ApiError BAD_REQUEST
 */
export const groupMembers = (
  names: readonly string[],
  found: readonly ChannelRow[],
  defaults: readonly number[],
): number[] =>
  names.map((name) => {
    const key = name.trim().normalize().toLowerCase()
    const channel = found.find((one) => one.name.toLowerCase() === key)
    if (channel === undefined || channel.is_archived || channel.invite_only) {
      throw refuse('BAD_REQUEST', `Invalid channel name '${name}'`)
    }
    if (defaults.includes(channel.id)) {
      throw refuse('BAD_REQUEST', `'${channel.name}' is a default channel and cannot be added to a group`)
    }
    return channel.id
  })
