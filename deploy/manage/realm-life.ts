import { purgeStatus, traces } from '@parley/contracts/identity/realm-data-questions'
import { endRealm, listRealms, reactivateRealm } from '@parley/contracts/identity/realm-life-questions'
import { type Command, required, UsageError } from './command.ts'
import { confirm, followed } from './progress.ts'

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
  run: async (ask, values) => {
    const realm = required(values, 'realm')
    const days = daysFrom(required(values, 'deletion-days'))
    const after = days === 0 ? 'at once' : `${days} days from now`
    if (days !== null) {
      await confirm(
        `All data of '${realm}' will be deleted for good ${after}. Go on?`,
        values.yes !== undefined,
      )
    }
    return ask(endRealm, { realm, deletion_delay_days: days })
  },
}

export const reactivateRealmCommand: Command = {
  name: 'reactivate-realm',
  usage: '--realm S',
  options: ['realm'],
  run: (ask, values) => ask(reactivateRealm, { realm: required(values, 'realm') }),
}

/** With `--follow` until nothing is left. */
export const purgeStatusCommand: Command = {
  name: 'purge-status',
  usage: '--realm S [--follow]',
  options: ['realm'],
  flags: ['follow'],
  run: (ask, values, _env, progress) =>
    followed({
      ask: () => ask(purgeStatus, { realm: required(values, 'realm') }),
      isOver: ({ state }) => values.follow === undefined || state !== 'purging',
      tell: ({ state, services }) => {
        const parts = Object.entries(services).map(
          ([service, { rows, is_done }]) => `${service} ${rows} rows${is_done ? ', done' : ''}`,
        )
        return [state, ...parts].join('; ')
      },
      progress,
    }),
}

/** What any service still holds of an organization: `{}` when it is gone. */
export const realmTracesCommand: Command = {
  name: 'realm-traces',
  usage: '--realm-id N',
  options: ['realm-id'],
  run: async (ask, values) => (await ask(traces, { realm_id: Number(required(values, 'realm-id')) })).traces,
}
