/** What the terms of a narrow say, before anything is looked up; no I/O. */
import { limits, refuse } from '@parley/contracts'
import type { NarrowTerm } from '@parley/contracts/channels/narrow'
import { namedTopic } from '@parley/contracts/objects/message'
import { codePoints } from '@parley/contracts/objects/values'

/** A person or channel as a narrow names it. */
export type Named = number | string

export type Term = { readonly negated: boolean } & (
  | { readonly operator: 'channel'; readonly channel: Named }
  | { readonly operator: 'channels'; readonly kind: 'public' | 'web-public' | 'archived' }
  | { readonly operator: 'topic'; readonly topic: string }
  | { readonly operator: 'dm'; readonly people: readonly Named[] }
  | { readonly operator: 'dm-including'; readonly people: readonly Named[] }
  | { readonly operator: 'sender'; readonly person: Named }
  | { readonly operator: 'mentions'; readonly person: Named }
  | { readonly operator: 'is'; readonly kind: IsKind }
  | { readonly operator: 'has'; readonly kind: HasKind }
  | { readonly operator: 'in'; readonly kind: 'home' | 'all' }
  | { readonly operator: 'id'; readonly id: number }
  | { readonly operator: 'near'; readonly id: number }
  | { readonly operator: 'with'; readonly id: number }
  | { readonly operator: 'search'; readonly text: string }
)

const isKinds = ['dm', 'starred', 'mentioned', 'alerted', 'unread', 'resolved', 'followed', 'muted'] as const
type IsKind = (typeof isKinds)[number]
const hasKinds = ['link', 'image', 'attachment', 'reaction'] as const
type HasKind = (typeof hasKinds)[number]

const aliases: Readonly<Record<string, string>> = {
  stream: 'channel',
  streams: 'channels',
  subject: 'topic',
  'pm-with': 'dm',
  'group-pm-with': 'dm-including',
  from: 'sender',
}

const legacyKinds: Readonly<Record<string, string>> = {
  private: 'dm',
  links: 'link',
  images: 'image',
  attachments: 'attachment',
  reactions: 'reaction',
}

/** The refusal of a narrow; `desc` says what is wrong with it. */
export const badNarrow = (desc: string) => refuse('BAD_NARROW', `Invalid narrow operator: ${desc}`, { desc })

const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Digits are an ID wherever a name may stand as well. */
const named = (operand: NarrowTerm['operand'], what: string): Named => {
  if (isId(operand)) return operand
  if (typeof operand !== 'string' || operand.trim() === '') throw badNarrow(`invalid ${what} operand`)
  return operand.trim()
}

const text = (operand: NarrowTerm['operand'], operator: string): string => {
  if (typeof operand === 'number') return String(operand)
  if (typeof operand !== 'string') throw badNarrow(`'${operator}' operand is not a string`)
  return operand
}

/** A list of IDs, one ID, or e-mails (or IDs) with commas. */
const people = (operand: NarrowTerm['operand']): Named[] => {
  if (typeof operand === 'boolean') throw badNarrow('unknown user in operand')
  const given = typeof operand === 'string' ? operand.split(',') : [operand].flat()
  const parts = given
    .map((one) => (typeof one === 'string' ? one.trim() : one))
    .filter((one) => one !== '')
    .map((one) => (typeof one === 'string' && /^\d+$/.test(one) ? Number(one) : one))
  for (const one of parts)
    if (typeof one === 'number' && !isId(one)) throw badNarrow(`unknown user in ${one}`)
  return parts
}

const messageId = (operand: NarrowTerm['operand'], operator: string): number => {
  const id = typeof operand === 'string' && /^\d+$/.test(operand) ? Number(operand) : operand
  if (!isId(id)) throw badNarrow(`Invalid '${operator}' operator: operand is no message ID`)
  return id
}

const oneOf = <const Kind extends string>(
  kinds: readonly Kind[],
  operand: NarrowTerm['operand'],
  operator: string,
): Kind => {
  const sent = text(operand, operator)
  const kind = kinds.find((one) => one === (legacyKinds[sent] ?? sent))
  if (kind === undefined) throw badNarrow(`unknown '${operator}' operand: ${sent}`)
  return kind
}

/** Postgres takes words apart within words, and gives up on some thousands of them. */
const searchText = (sent: string): string => {
  if (codePoints(sent) <= limits.maxSearchLength) return sent
  throw badNarrow(`search is too long (limit: ${limits.maxSearchLength} characters)`)
}

/**
 * Reads one term.
 *
 * @throws ApiError BAD_NARROW for operators and operands that there are not.
 */
export const readTerm = (sent: NarrowTerm): Term => {
  const negated = sent.negated ?? false
  const { operand } = sent
  const operator = aliases[sent.operator.toLowerCase()] ?? sent.operator.toLowerCase()
  switch (operator) {
    case 'channel': {
      const channel = named(operand, 'channel')
      return { operator, channel, negated }
    }
    case 'channels':
      return { operator, kind: oneOf(['public', 'web-public', 'archived'], operand, operator), negated }
    case 'topic':
      return { operator, topic: namedTopic(text(operand, operator)), negated }
    case 'dm':
    case 'dm-including':
      return { operator, people: people(operand), negated }
    case 'sender':
    case 'mentions': {
      const [person, ...others] = people(operand)
      if (person === undefined || others.length > 0) throw badNarrow(`unknown user in ${String(operand)}`)
      return { operator, person, negated }
    }
    case 'is':
      return { operator, kind: oneOf(isKinds, operand, operator), negated }
    case 'has':
      return { operator, kind: oneOf(hasKinds, operand, operator), negated }
    case 'in':
      return { operator, kind: oneOf(['home', 'all'], operand, operator), negated }
    case 'id':
    case 'near':
    case 'with':
      return { operator, id: messageId(operand, operator), negated }
    case 'search':
      return { operator, text: searchText(text(operand, operator)), negated }
    default:
      throw badNarrow(`Invalid operator: ${sent.operator}`)
  }
}
