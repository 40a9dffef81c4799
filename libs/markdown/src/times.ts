import type { StateInline } from 'markdown-it'
import { element } from './nodes.ts'

const GLOBAL_TIME = /<time:([^<>\n]{1,64})>/y
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/

/**
 * `<time:2026-01-31T10:00:00+01:00>`: shown by clients in the reader's zone. Since level 503 only ISO 8601 counts;
 * since level 451 whatever else stands there is text.
 */
export function timeRule(state: StateInline): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false
  GLOBAL_TIME.lastIndex = state.pos
  const match = GLOBAL_TIME.exec(state.src)
  if (match === null || state.pos + match[0].length > state.posMax) return false
  const datetime = parseIso(match[1]!)
  if (datetime === undefined) return false
  state.push('node', '', 0).meta = { node: element('time', { datetime }, [match[1]!]) }
  state.pos += match[0].length
  return true
}

/** An ISO 8601 date or time as UTC to the second; without a zone it is UTC. Undefined when there is no such time. */
export function parseIso(text: string): string | undefined {
  const match = ISO_8601.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const time = new Date(Date.UTC(2000, month - 1, day, hour, minute, second))
  time.setUTCFullYear(year, month - 1, day)
  if (year === 0 || time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined
  const offset = zoneMinutes(match[7])
  if (offset === undefined) return undefined
  const utc = new Date(time.getTime() - offset * 60_000)
  return utc.getUTCFullYear() < 1 || utc.getUTCFullYear() > 9999
    ? undefined
    : `${utc.toISOString().slice(0, 19)}Z`
}

function zoneMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return undefined
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
