import { messageOfDelivery } from '../deliveries/delivery-log.ts'
import { realmUrl } from '../realm-url.ts'
import { receiverById } from '../receivers/receiver-store.ts'
import type { Queries } from '../room.ts'
import type { NewPost, Post } from './post-store.ts'
import { failureText, ownerText } from './post-texts.ts'

/**
 * What is said instead of a reply that the bot was not allowed to send: the reason to the conversation (which may be
 * refused like the reply), and to the bot's owner. Notices that are refused are not complained about.
 */
export const refusedReplyPosts = async (
  sql: Queries,
  publicUrl: string,
  post: Post,
  reason: string,
): Promise<NewPost[]> => {
  if (post.kind !== 'reply') return []
  const message = await messageOfDelivery(sql, post.delivery_id)
  const bot = await receiverById(sql, post.bot_id)
  if (message === undefined || bot === undefined) return []
  const { realm_id, subdomain, bot_id, delivery_id, recipients } = post
  const shared = { realm_id, subdomain, bot_id, delivery_id }
  const notice: NewPost = {
    ...shared,
    name: `${post.name}/refused`,
    kind: 'notice',
    recipients,
    content: failureText(reason),
  }
  if (bot.owner_id === null) return [notice]
  const content = ownerText({
    bot,
    realmUrl: realmUrl(publicUrl, subdomain),
    message,
    findings: ['The webhook wanted to send a message, which resulted in the following error:', `> ${reason}`],
    answer: post.content,
  })
  return [
    notice,
    {
      ...shared,
      name: `${post.name}/refused/owner`,
      kind: 'owner_notice',
      recipients: { user_ids: [bot.owner_id] },
      content,
    },
  ]
}
