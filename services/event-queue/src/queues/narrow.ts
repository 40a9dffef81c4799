/** The narrow of a queue: which messages it is for (facts 6.2; a registration's narrow filters message events only). */
import { MessageRecord, namedTopic } from '@parley/contracts/objects/message'
import { z } from 'zod'

/** What a narrow looks at: a message event as its service wrote it, with the reader's own flags. */
export const NarrowedEvent = z.object({ message: MessageRecord, flags: z.array(z.string()) })
export type NarrowedEvent = Pick<z.infer<typeof NarrowedEvent>, 'message' | 'flags'>

export type NarrowTest = (event: NarrowedEvent, readerId: number) => boolean

/** The narrow cannot be followed; the message says which term. */
export class NarrowError extends Error {}

const isNumber = (text: string): boolean => /^\d+$/.test(text)
const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

const channel = (operand: string): NarrowTest =>
  isNumber(operand)
    ? ({ message }) => message.stream_id === Number(operand) || isNamed(message, operand)
    : ({ message }) => isNamed(message, operand)

const isNamed = (message: MessageRecord, name: string): boolean =>
  typeof message.display_recipient === 'string' && same(message.display_recipient, name)

/** By its name, or one of those under which clients ask for the topic without a name. */
const topic = (operand: string): NarrowTest => {
  const name = namedTopic(operand)
  return ({ message }) => message.type === 'stream' && same(message.subject, name)
}

const sender = (operand: string): NarrowTest => {
  if (operand === 'me') return ({ message }, readerId) => message.sender_id === readerId
  if (isNumber(operand)) return ({ message }) => message.sender_id === Number(operand)
  return ({ message }) => same(message.sender_email, operand)
}

/** The other participants are exactly these (e-mails or IDs, separated by commas); oneself may be named. */
const direct = (operand: string): NarrowTest => {
  const named = operand
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
  return ({ message }, readerId) => {
    if (typeof message.display_recipient === 'string') return false
    const people = message.display_recipient
    const isMeant = (person: { id: number; email: string }): boolean =>
      named.includes(String(person.id)) || named.includes(person.email.toLowerCase())
    const others = people.filter((person) => person.id !== readerId)
    const everyNameFits = named.every((name) =>
      people.some((person) => String(person.id) === name || person.email.toLowerCase() === name),
    )
    return everyNameFits && (others.length === 0 ? people.some(isMeant) : others.every(isMeant))
  }
}

const isResolved = (topic: string): boolean => topic.startsWith('✔ ')

const mentions = new Set(['mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'])

const kinds: Readonly<Record<string, NarrowTest>> = {
  dm: ({ message }) => message.type === 'private',
  private: ({ message }) => message.type === 'private',
  starred: ({ flags }) => flags.includes('starred'),
  unread: ({ flags }) => !flags.includes('read'),
  mentioned: ({ flags }) => flags.some((flag) => mentions.has(flag)),
  alerted: ({ flags }) => flags.includes('has_alert_word'),
  resolved: ({ message }) => message.type === 'stream' && isResolved(message.subject),
}

const term = (operator: string, operand: string): NarrowTest => {
  switch (operator) {
    case 'channel':
    case 'stream':
      return channel(operand)
    case 'topic':
    case 'subject':
      return topic(operand)
    case 'sender':
    case 'from':
      return sender(operand)
    case 'dm':
    case 'pm-with':
      return direct(operand)
    case 'is': {
      const kind = Object.hasOwn(kinds, operand) ? kinds[operand] : undefined
      if (kind === undefined) throw new NarrowError(`unknown 'is' operand: ${operand}`)
      return kind
    }
    default:
      throw new NarrowError(`Operator ${operator} not supported.`)
  }
}

/**
 * Compiles a narrow; a message must satisfy all of its terms. Undefined when there are none.
 *
 * @throws NarrowError for operators that a registration does not support.
 */
export const narrowTest = (terms: readonly (readonly [string, string])[]): NarrowTest | undefined => {
  if (terms.length === 0) return undefined
  const tests = terms.map(([operator, operand]) => term(operator, operand))
  return (event, readerId) => tests.every((test) => test(event, readerId))
}
