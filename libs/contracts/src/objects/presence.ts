import { z } from 'zod'
import { limits } from '../limits.ts'
import { Timestamp } from './values.ts'

/** When somebody was last there: what every form of presence is made of. UNIX seconds. */
export const LastSeen = z.strictObject({
  /** At the keyboard; null when never seen there. */
  active: Timestamp.nullable(),
  /** Connected at all. */
  connected: Timestamp,
})
export type LastSeen = z.infer<typeof LastSeen>

const entry = {
  client: z.literal('website'),
  status: z.enum(['idle', 'active']),
  timestamp: Timestamp,
}

/** The presence entry of the requirement. */
const WebsitePresence = z.strictObject({ ...entry, pushable: z.literal(false) })
type WebsitePresence = z.infer<typeof WebsitePresence>

/** The form for clients that know users by their e-mail. */
export const LegacyPresence = z.strictObject({ aggregated: z.strictObject(entry), website: WebsitePresence })
export type LegacyPresence = z.infer<typeof LegacyPresence>

/** The form for clients that know users by their ID. Widely used apps cannot read one of the times without the other. */
export const ModernPresence = z.strictObject({
  /** 0 when never seen at the keyboard. */
  active_timestamp: Timestamp,
  idle_timestamp: Timestamp,
})
export type ModernPresence = z.infer<typeof ModernPresence>

/** "active when last active within 70 s of last connected" (facts, section 7). */
export const isActive = ({ active, connected }: LastSeen): boolean =>
  active !== null && active + limits.presenceActiveSeconds >= connected

export const websitePresence = (seen: LastSeen): WebsitePresence => ({
  client: 'website',
  status: isActive(seen) ? 'active' : 'idle',
  timestamp: isActive(seen) ? seen.active! : seen.connected,
  pushable: false,
})

export const legacyPresence = (seen: LastSeen): LegacyPresence => {
  const website = websitePresence(seen)
  const { pushable: _, ...aggregated } = website
  return { aggregated, website }
}

export const modernPresence = ({ active, connected }: LastSeen): ModernPresence => ({
  active_timestamp: active ?? 0,
  idle_timestamp: connected,
})

/** Presences of many: keyed by API e-mail in the legacy form, by user ID in the modern one. */
export const Presences = z.record(z.string(), z.union([LegacyPresence, ModernPresence]))
