import { claimFiles } from '@parley/contracts/uploads/internals'
import { collectLookups } from '@parley/markdown'
import type { Deps } from '../room.ts'

/**
 * Lets a message's readers have the files that it names, before they are told of it. Its news does the same soon, so where
 * uploads does not answer nothing is lost. `texts`: what the message says, and said.
 */
export const claimNamedFiles = async (
  { ask, log }: Pick<Deps, 'ask' | 'log'>,
  realm_id: number,
  message_id: number,
  texts: readonly string[],
): Promise<void> => {
  if (texts.every((text) => collectLookups(text).uploads.length === 0)) return
  try {
    await ask(claimFiles, { realm_id, message_id })
  } catch (error) {
    log.warn({ err: error, message_id }, 'the files of a message come with its news')
  }
}
