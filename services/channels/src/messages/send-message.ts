import { currentTraceparent } from '@parley/bus'
import type { ParamsOf } from '@parley/contracts'
import { sendMessage as contract } from '@parley/contracts/channels/messages'
import { endpoint } from '../room.ts'
import { demandModestRendering, isReadBySender, messageContent } from './message-rules.ts'
import type { Writing } from './outgoing-message.ts'
import { renderText } from './render-text.ts'
import { sendDirectMessage } from './send-direct-message.ts'
import { sendToChannel } from './send-to-channel.ts'

export const sendMessage = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const content = messageContent(params.content)
  const sender = (await deps.users.byIds(caller.realm.id, [caller.user.id])).get(caller.user.id)
  if (sender === undefined) throw refuse('BAD_REQUEST', 'Account does not exist')
  const { rendered } = await renderText(deps, caller.realm, content)
  demandModestRendering(rendered.html)
  const writing: Writing = {
    caller,
    sender,
    content,
    rendered,
    readBySender: isReadBySender(params.read_by_sender, caller.user, caller.client),
    localName: localName(params),
    traceparent: currentTraceparent(),
  }
  return params.type === 'direct' || params.type === 'private'
    ? sendDirectMessage(deps, writing, params.to)
    : sendToChannel(deps, writing, params.to, params.topic)
})

/** Both are needed: a local ID is the client's own, and only a queue tells clients apart. */
const localName = ({ queue_id, local_id }: ParamsOf<typeof contract>): Writing['localName'] =>
  queue_id === undefined || local_id === undefined
    ? undefined
    : { queue_id: storable(queue_id), local_id: storable(local_id) }

/** Text that Postgres takes; what is cut can only make foreign names alike, of one sender. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()
