import type { ParamsOf } from '@parley/contracts'
import { sendMessage as contract } from '@parley/contracts/channels/messages'
import { followActivity } from '../recent-activity/recent-activity.ts'
import { endpoint } from '../room.ts'
import { claimNamedFiles } from './claimed-files.ts'
import type { Writing } from './outgoing-message.ts'
import { demandSender, sendText } from './send-text.ts'

export const sendMessage = endpoint(contract, async ({ params, caller, deps }) => {
  const sender = await demandSender(deps, caller.realm.id, caller.user.id)
  const isDirect = params.type === 'direct' || params.type === 'private'
  const sent = await sendText(deps, caller, sender, {
    to: params.to,
    isDirect,
    topic: params.topic,
    content: params.content,
    widgetContent: params.widget_content,
    readBySender: params.read_by_sender,
    localName: localName(params),
  })
  await claimNamedFiles(deps, caller.realm.id, sent.id, [params.content])
  if (!isDirect) await followActivity(deps, caller.realm.id, params.to)
  return sent
})

/** Both are needed: a local ID is the client's own, and only a queue tells clients apart. */
const localName = ({ queue_id, local_id }: ParamsOf<typeof contract>): Writing['localName'] =>
  queue_id === undefined || local_id === undefined
    ? undefined
    : { queue_id: storable(queue_id), local_id: storable(local_id) }

/** Text that Postgres takes; what is cut can only make foreign names alike, of one sender. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()
