import type { PersonalFact } from '@parley/contracts/identity/topics'

/** What somebody chose about typing. */
interface TypingChoices {
  readonly send_private_typing_notifications: boolean
  readonly send_stream_typing_notifications: boolean
  readonly receives_typing_notifications: boolean
}

const standard: TypingChoices = {
  send_private_typing_notifications: true,
  send_stream_typing_notifications: true,
  receives_typing_notifications: true,
}
const names = Object.keys(standard) as (keyof TypingChoices)[]

/** The choices of all accounts, in memory: typing asks no database. Only those who chose otherwise than most take space. */
export interface PersonalChoices {
  of(userId: number): TypingChoices
  learn(fact: PersonalFact): void
}

export const personalChoices = (): PersonalChoices => {
  const unusual = new Map<number, TypingChoices>()
  return {
    of: (userId) => unusual.get(userId) ?? standard,
    learn({ id, settings }) {
      const choices = Object.fromEntries(
        names.map((name) => [name, settings[name] !== false]),
      ) as unknown as TypingChoices
      if (names.every((name) => choices[name])) unusual.delete(id)
      else unusual.set(id, choices)
    },
  }
}
