import { sendWelcomeMessage as contract } from '@parley/contracts/channels/notice-questions'
import { internal } from '../room.ts'
import { sendAsBot } from './send-notices.ts'

export const sendWelcomeMessage = internal(contract, async ({ input, deps }) => {
  const message_id = await sendAsBot(deps, {
    realm_id: input.realm.id,
    bot: 'welcome',
    channel_id: null,
    topic: null,
    user_ids: [input.user_id],
    content: input.text,
  })
  return { message_id }
})
