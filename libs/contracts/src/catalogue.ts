/** The whole interface in one place: what the gateway routes, what the documents list, what tests go through. */

import * as channelsEvents from './channels/events.ts'
import type { ServiceContract } from './contract.ts'
import type { AnyEvent } from './event.ts'
import * as eventQueueEvents from './event-queue/events.ts'
import { eventQueue } from './event-queue/index.ts'
import * as identityEvents from './identity/events.ts'
import * as invitationsEvents from './invitations/events.ts'
import { otherRooms } from './other-rooms.ts'
import * as presenceEvents from './presence/events.ts'
import type { ServiceName } from './services.ts'
import type { TopicDeclaration } from './topic.ts'
import * as uploadsEvents from './uploads/events.ts'

export const contracts = {
  ...otherRooms,
  'event-queue': eventQueue,
} as const satisfies Record<ServiceName, ServiceContract>

/** Every client event, by the service that causes it. */
export const clientEvents: Record<ServiceName, readonly AnyEvent[]> = {
  identity: Object.values(identityEvents),
  channels: Object.values(channelsEvents),
  invitations: Object.values(invitationsEvents),
  uploads: Object.values(uploadsEvents),
  presence: Object.values(presenceEvents),
  'event-queue': Object.values(eventQueueEvents),
  'webhook-dispatcher': [],
  gateway: [],
}

/** Every topic of facts. */
export const allTopics: readonly TopicDeclaration[] = Object.values(contracts).flatMap(
  (contract: ServiceContract) => contract.writes,
)
