/**
 * What a careful client makes of a registration and the events that follow it, written from the interface's
 * documentation and from nothing of the server's: the two agree at the end, or one of them is wrong.
 */
import type { ReceivedEvent } from '../event-reader.ts'
import { channelEntries } from './channel-entries.ts'
import { messageEntries } from './message-entries.ts'
import { organizationEntries } from './organization-entries.ts'
import { peopleEntries } from './people-entries.ts'
import { personalEntries } from './personal-entries.ts'

// biome-ignore lint/suspicious/noExplicitAny: the state of a registration, of every section.
export type State = Record<string, any>

/** What one kind of event does to the state; or the reason why the state says nothing of it. */
export type Entry = ((state: State, event: ReceivedEvent) => void) | { readonly leavesStateAlone: string }

/** By `type` or `type/op`. */
export const entries: Readonly<Record<string, Entry>> = {
  ...peopleEntries,
  ...organizationEntries,
  ...channelEntries,
  ...messageEntries,
  ...personalEntries,
}

export const entryKey = ({ type, op }: { type: string; op?: string | undefined }): string =>
  op === undefined ? type : `${type}/${op}`

/** @throws Error for an event that no entry is there for. */
export const applyEvent = (state: State, event: ReceivedEvent): void => {
  const entry = Object.hasOwn(entries, entryKey(event)) ? entries[entryKey(event)] : undefined
  if (entry === undefined) throw new Error(`the model of a client does not know ${entryKey(event)}`)
  if (typeof entry === 'function') entry(state, event)
}
