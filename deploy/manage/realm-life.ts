import { endRealm, listRealms, reactivateRealm } from '@parley/contracts/identity/realm-life-questions'
import { type Command, required, UsageError } from './command.ts'

export const listRealmsCommand: Command = {
  name: 'list-realms',
  usage: '',
  options: [],
  run: async (ask) => (await ask(listRealms, {})).realms,
}

/** Days until the data is deleted; `never` keeps it. */
function daysFrom(text: string): number | null {
  if (text === 'never') return null
  if (!/^\d{1,6}$/.test(text)) throw new UsageError('--deletion-days is a number of days, or never')
  return Number(text)
}

export const deactivateRealmCommand: Command = {
  name: 'deactivate-realm',
  usage: '--realm S --deletion-days N|never',
  options: ['realm', 'deletion-days'],
  run: (ask, values) =>
    ask(endRealm, {
      realm: required(values, 'realm'),
      deletion_delay_days: daysFrom(required(values, 'deletion-days')),
    }),
}

export const reactivateRealmCommand: Command = {
  name: 'reactivate-realm',
  usage: '--realm S',
  options: ['realm'],
  run: (ask, values) => ask(reactivateRealm, { realm: required(values, 'realm') }),
}
