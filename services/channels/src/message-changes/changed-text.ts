import { type KnownCaller, type ReplyOf, refuse } from '@parley/contracts'
import type { updateMessage } from '@parley/contracts/channels/message-changes'
import { detachedFiles } from '@parley/contracts/uploads/internals'
import { collectLookups, type Rendered } from '@parley/markdown'
import type { Realm } from '../directory/realm-store.ts'
import { demandMentionable, membersOfGroups } from '../messages/mentioned-groups.ts'
import { demandModestRendering } from '../messages/message-rules.ts'
import type { StoredMessage } from '../messages/message-store.ts'
import { renderText } from '../messages/render-text.ts'
import type { Deps } from '../room.ts'
import { type TopicWish, wishesOfMentioned } from '../user-topics/automatic-policies.ts'

/** What a message is to say, and whom that calls. */
export interface ChangedText {
  readonly rendered: Rendered
  /** Members of the groups that it mentions. */
  readonly calledInGroups: readonly number[]
  readonly alerted: readonly number[]
  /** Who follows the topic once mentioned. */
  readonly wishes: readonly TopicWish[]
}

/** @throws ApiError BAD_REQUEST for what cannot be rendered, or mentions a group that the author may not mention. */
export const changedText = async (
  deps: Deps,
  caller: KnownCaller,
  realm: Realm,
  content: string,
): Promise<ChangedText> => {
  const { rendered } = await renderText(deps, caller.realm, content, { author: caller.user })
  demandModestRendering(rendered.html)
  await demandMentionable(deps, rendered)
  const people = await deps.personal.of(realm.id)
  const mentioned = await deps.users.byIds(realm.id, rendered.mentions.users)
  return {
    rendered,
    calledInGroups: await membersOfGroups(deps, realm, rendered.mentions.groups),
    alerted: people.alertedBy(rendered),
    wishes: wishesOfMentioned(people, [...mentioned.values()]),
  }
}

/** @throws ApiError BAD_REQUEST: what a widget shows is not what its message says. */
export const demandNoWidget = ({ has_submessage }: Pick<StoredMessage, 'has_submessage'>): void => {
  if (has_submessage) throw refuse('BAD_REQUEST', 'Widgets cannot be edited.')
}

/** Uploaded files that a message named and does not name any more; their `path_id`s. */
export const filesLeftOut = (before: string, after: Rendered): string[] => {
  const kept = new Set(after.uploads)
  return collectLookups(before).uploads.filter((path) => !kept.has(path))
}

/**
 * Files of the editor that nothing refers to any more. The message is changed by then: where that cannot be found out now,
 * none are named.
 */
export const detachedUploads = async (
  { ask, log }: Pick<Deps, 'ask' | 'log'>,
  { realm, user }: KnownCaller,
  message_id: number,
  path_ids: readonly string[],
): Promise<ReplyOf<typeof updateMessage>['detached_uploads']> => {
  if (path_ids.length === 0) return []
  try {
    const question = { realm_id: realm.id, user_id: user.id, message_id, path_ids: path_ids.slice(0, 1000) }
    return (await ask(detachedFiles, question)).attachments
  } catch (error) {
    log.warn({ err: error, message_id }, 'files that were left out of a message could not be looked up')
    return []
  }
}
