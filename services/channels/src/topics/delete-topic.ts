import { deleteTopic as contract } from '@parley/contracts/channels/channels'
import { namedTopic } from '@parley/contracts/objects/message'
import { demandChannel } from '../channels/demand-channel.ts'
import { deleteMessages } from '../message-changes/delete-messages.ts'
import { isAdministrator } from '../permissions/actor.ts'
import { mayToMessages } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { newestInTopic } from './topic-store.ts'

/** Messages that one transaction deletes: as many events as a client without the capability receives at once. */
const messagesAtATime = 500
/** After so long the client is told to come back for the rest: clients wait 15 seconds for an answer. */
const enoughMilliseconds = 8000

export const deleteTopic = endpoint(contract, async ({ params, caller, deps, transaction, refuse }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const topic = namedTopic(params.topic_name)
  const end = Date.now() + enoughMilliseconds
  /** @returns how many messages there were to delete. */
  const deleteSome = (): Promise<number> =>
    transaction(async (tx) => {
      const { sql } = tx
      await demandChannel(sql, realm, actor, params.stream_id, 'lock')
      // Of what can be known of but not read, nothing can be deleted either.
      const { channel } = await demandChannel(sql, realm, actor, params.stream_id, 'read')
      if (!isAdministrator(actor) && !mayToMessages(actor, realm, channel, 'can_delete_any_message_group')) {
        throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization administrator')
      }
      const isProtected = channel.invite_only && !channel.history_public_to_subscribers
      const receiver = isProtected ? actor.id : undefined
      const ids = await newestInTopic(sql, channel.id, topic, receiver, messagesAtATime)
      if (ids.length > 0) await deleteMessages(tx, realm, { channel, topic }, ids, actor.id)
      return ids.length
    })
  while ((await deleteSome()) === messagesAtATime) {
    if (Date.now() > end) return { complete: false }
  }
  return { complete: true }
})
