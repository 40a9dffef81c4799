import { sendAs as contract } from '@parley/contracts/channels/internals'
import { followActivity } from '../recent-activity/recent-activity.ts'
import { internal } from '../room.ts'
import { demandSender, sendText } from './send-text.ts'

export const sendAs = internal(contract, async ({ input, deps, issuer, refuse }) => {
  const { realm, sender_id, client, to, content, name } = input
  const sender = await demandSender(deps, realm.id, sender_id)
  if (!sender.is_active) throw refuse('BAD_REQUEST', 'Account is deactivated')
  if (!(await deps.realms.get(realm.id)).is_active) {
    throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
  }
  const caller = {
    realm,
    user: { id: sender.id, role: sender.role, bot_type: sender.bot_type },
    client,
  }
  const isDirect = 'user_ids' in to
  const { id } = await sendText(deps, caller, sender, {
    to: isDirect ? to.user_ids : to.channel_id,
    isDirect,
    topic: isDirect ? undefined : to.topic,
    content,
    widgetContent: input.widget_content,
    readBySender: undefined,
    // No queue is called so: the name is the service's alone, and no client's queue is told of it.
    localName: { queue_id: `service:${issuer}`, local_id: name },
  })
  if (!isDirect) await followActivity(deps, realm.id, to.channel_id)
  return { id }
})
