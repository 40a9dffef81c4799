/**
 * Exactness without waiting for quiet: of two registrations of one client, the earlier one's state with the events that
 * committed in between is the later one's. Each pair is a schedule of its own, however busy everybody else is.
 */
import { type AnyEvent, type ClientShape, clientEvents } from '@parley/contracts'
import { isVisible, type Snapshot } from '@parley/db/snapshot'
import { differences } from './client-model/comparison.ts'
import { applyEvent, entryKey, type State } from './client-model/model.ts'

/** What a client was told at one moment of the database. */
export interface Registered {
  readonly state: State
  readonly snapshot: Snapshot
}

/** An event as its service wrote it down, in the order in which the relay publishes. */
export interface WrittenEvent {
  readonly xid: number
  readonly event: { readonly type: string; readonly op?: string }
  /** Undefined: everybody. */
  readonly users: ReadonlySet<number> | undefined
  readonly personal: Readonly<Record<string, object>> | undefined
}

interface Follower {
  readonly userId: number
  readonly shape: ClientShape
}

const declarations = new Map<string, AnyEvent>(
  Object.values(clientEvents)
    .flat()
    .map((one) => [entryKey(one), one]),
)

/** What an event is to one client: some events, or none. */
const formsFor = ({ event, users, personal }: WrittenEvent, { userId, shape }: Follower): State[] => {
  if (users !== undefined && !users.has(userId)) return []
  const own = { ...event, ...personal?.[String(userId)] }
  return declarations.get(entryKey(event))?.shape?.(own, shape) ?? [own]
}

/** Where a client that began with the earlier registration departs from the later one, a line each. */
export const departures = (
  earlier: Registered,
  later: Registered,
  written: readonly WrittenEvent[],
  follower: Follower,
): string[] => {
  const model = structuredClone(earlier.state)
  const heard: string[] = []
  for (const one of written) {
    if (isVisible(one.xid, earlier.snapshot) || !isVisible(one.xid, later.snapshot)) continue
    for (const form of formsFor(one, follower)) {
      heard.push(entryKey(form as WrittenEvent['event']))
      applyEvent(model, structuredClone(form) as never)
    }
  }
  const found = differences(model, later.state)
  return found.length === 0 ? [] : [...found, `after ${heard.join(', ')}`]
}
