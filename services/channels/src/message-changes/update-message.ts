import { createHash } from 'node:crypto'
import { type ParamsOf, refuse } from '@parley/contracts'
import { updateMessage as contract } from '@parley/contracts/channels/message-changes'
import { channelById, lockChannels } from '../channels/channel-store.ts'
import { claimNamedFiles } from '../messages/claimed-files.ts'
import { readableMessages, type StoredMessage } from '../messages/message-store.ts'
import { readerOf } from '../narrows/reader.ts'
import { endpoint, type Queries } from '../room.ts'
import { changeContent } from './change-content.ts'
import { type Change, contentEditFinding, editedContent, wantedChange } from './change-rules.ts'
import { changedText, demandNoWidget, detachedUploads, filesLeftOut } from './changed-text.ts'
import { moveMessages } from './move-messages.ts'

export const updateMessage = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const { person } = await readerOf(deps, caller)
  const text =
    params.content === undefined
      ? undefined
      : await changedText(deps, caller, realm, editedContent(params.content))
  const now = Math.floor(Date.now() / 1000)
  let said = ''
  const leftOut = await transaction(async (tx) => {
    const { sql } = tx
    const find = async (): Promise<StoredMessage> => {
      const [message] = await readableMessages(sql, realm.id, person, [params.message_id])
      if (message === undefined) throw refuse('BAD_REQUEST', 'Invalid message(s)')
      return message
    }
    const message = await holdStill(sql, realm.id, params, await find(), find)
    said = message.content
    const change = wantedChange(params, message)
    const channel =
      message.channel_id === null ? undefined : await channelById(sql, realm.id, message.channel_id)
    const scene = { tx, deps, caller, realm, actor: person, message, channel, change, params, now }
    if (change.content !== undefined) {
      const finding = contentEditFinding(message, person.id, realm, now)
      if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
      demandNoWidget(message)
      demandExpected(params, message)
    }
    if (isMove(change)) await moveMessages(scene, text)
    else await changeContent(scene, text!)
    return text === undefined ? [] : filesLeftOut(message.content, text.rendered)
  })
  if (params.content !== undefined)
    await claimNamedFiles(deps, realm.id, params.message_id, [said, params.content])
  return { detached_uploads: await detachedUploads(deps, caller, params.message_id, leftOut) }
})

const isMove = ({ topic, channelId }: Change): boolean => topic !== undefined || channelId !== undefined

/**
 * Holds the channels against changes of who is subscribed, then the message; and looks at it again, since it may have
 * been moved meanwhile.
 */
const holdStill = async (
  sql: Queries,
  realmId: number,
  params: ParamsOf<typeof contract>,
  message: StoredMessage,
  find: () => Promise<StoredMessage>,
): Promise<StoredMessage> => {
  const { channel_id } = message
  if (channel_id !== null) {
    const ids = [channel_id, ...(params.stream_id === undefined ? [] : [params.stream_id])]
    await lockChannels(sql, realmId, ids)
  }
  await sql`SELECT FROM messages WHERE id = ${message.id} FOR NO KEY UPDATE`
  const again = await find()
  if (again.channel_id !== channel_id) throw refuse('BAD_REQUEST', 'Invalid message(s)')
  return again
}

/** @throws ApiError EXPECTATION_MISMATCH when the content is not what the client believes it to be (level 379). */
const demandExpected = (params: ParamsOf<typeof contract>, message: StoredMessage): void => {
  const expected = params.prev_content_sha256
  if (expected === undefined) return
  const actual = createHash('sha256').update(message.content).digest('hex')
  if (actual !== expected.toLowerCase()) {
    throw refuse('EXPECTATION_MISMATCH', "'prev_content_sha256' value does not match the expected value.")
  }
}
