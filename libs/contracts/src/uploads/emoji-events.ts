import { z } from 'zod'
import { event } from '../event.ts'
import { RealmEmoji } from '../objects/realm-emoji.ts'

const Added = z.strictObject({ emoji: RealmEmoji })
const Changed = z.strictObject({ emoji_id: z.string(), data: z.strictObject({ deactivated: z.boolean() }) })

/**
 * A custom emoji was added, or deactivated. Clients with `individual_emoji_changes` (491) are told what changed, the
 * others all emoji as they are now.
 */
export const realmEmojiChanged = event({
  type: 'realm_emoji',
  since: 491,
  fields: { realm_emoji: z.record(z.string(), RealmEmoji), change: z.union([Added, Changed]) },
  shape: (event, client) => {
    const { type, realm_emoji, change } = event as {
      type: string
      realm_emoji: unknown
      change: z.infer<typeof Added> | z.infer<typeof Changed>
    }
    if (!client.capabilities.individual_emoji_changes) return [{ type, op: 'update', realm_emoji }]
    return [{ type, op: 'emoji' in change ? 'add' : 'update_one', ...change }]
  },
})
