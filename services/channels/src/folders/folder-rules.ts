/** What a folder may be called; no I/O. */
import { limits, refuse } from '@parley/contracts'
import { codePoints } from '@parley/contracts/objects/values'

/**
 * A name as it is stored.
 *
 * @throws ApiError BAD_REQUEST when it is empty, too long, or has characters that are no text.
 */
export const folderName = (sent: string): string => {
  const name = sent.trim().normalize()
  if (name === '') throw refuse('BAD_REQUEST', "Channel folder name can't be empty.")
  if (codePoints(name) > limits.maxChannelFolderNameLength) {
    throw refuse('BAD_REQUEST', `name is too long (limit: ${limits.maxChannelFolderNameLength} characters)`)
  }
  if (/[\p{Cc}\p{Cs}\p{Cn}]/u.test(name)) {
    throw refuse('BAD_REQUEST', 'Invalid character in channel folder name.')
  }
  return name
}

/** @throws ApiError BAD_REQUEST when it is too long. */
export const folderDescription = (sent: string): string => {
  if (codePoints(sent) > limits.maxChannelFolderDescriptionLength) {
    throw refuse(
      'BAD_REQUEST',
      `description is too long (limit: ${limits.maxChannelFolderDescriptionLength} characters)`,
    )
  }
  return sent
}
