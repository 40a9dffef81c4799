import { z } from 'zod'
import { RealmEmoji } from '../objects/realm-emoji.ts'
import { topic } from '../topic.ts'

/** The latest state of one custom emoji. Keyed by its ID. A deactivated one never comes back. */
export const EmojiFact = RealmEmoji.extend({ realm_id: z.int() })
export type EmojiFact = z.infer<typeof EmojiFact>

export const emojiTopic = topic('uploads.emoji', { value: EmojiFact, compacted: true })
