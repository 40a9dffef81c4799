import { deleteMessage as contract } from '@parley/contracts/channels/message-changes'
import { channelById, lockChannels } from '../channels/channel-store.ts'
import { claimNamedFiles } from '../messages/claimed-files.ts'
import { readableMessages } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { deletionFinding } from './change-rules.ts'
import { deleteMessages } from './delete-messages.ts'

export const deleteMessage = endpoint(contract, async ({ params, caller, deps, refuse, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const { person } = await readerOf(deps, caller)
  const said = await transaction(async (tx) => {
    const { sql } = tx
    const find = async () => (await readableMessages(sql, realm.id, person, [params.message_id]))[0]
    const seen = await find()
    if (seen === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
    if (seen.channel_id !== null) await lockChannels(sql, realm.id, [seen.channel_id])
    await sql`SELECT FROM messages WHERE id = ${seen.id} FOR UPDATE`
    const message = await find()
    if (message === undefined || message.channel_id !== seen.channel_id) {
      throw refuse('BAD_REQUEST', 'Invalid message(s)')
    }
    const channel =
      message.channel_id === null ? undefined : await channelById(sql, realm.id, message.channel_id)
    const sender = (await deps.users.byIds(realm.id, [message.sender_id])).get(message.sender_id)
    const now = Date.now() / 1000
    const finding = deletionFinding(person, realm, channel, message, sender?.bot_owner_id ?? null, now)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    const thread =
      channel === undefined
        ? { recipientId: message.recipient_id, userIds: message.user_ids! }
        : { channel, topic: message.topic }
    await deleteMessages(tx, realm, thread, [message.id], person.id)
    return message.content
  })
  await claimNamedFiles(deps, realm.id, params.message_id, [said])
  return {}
})
