import { z } from 'zod'
import { RealmEmoji } from '../objects/realm-emoji.ts'
import { section } from '../section.ts'

/** How large files may be. Clients look for it beside the settings. */
export const uploadLimitsSection = section({
  service: 'uploads',
  name: 'realm',
  fields: { max_file_upload_size_mib: z.int() },
  covers: [],
})

export const realmEmojiSection = section({
  service: 'uploads',
  name: 'realm_emoji',
  /** Keyed by ID, deactivated ones included. */
  fields: { realm_emoji: z.record(z.string(), RealmEmoji) },
})
