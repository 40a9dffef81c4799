/** The whole interface in one place: what the gateway routes, what the documents list, what tests go through. */

import * as channelsEvents from './channels/events.ts'
import { channels } from './channels/index.ts'
import type { ServiceContract } from './contract.ts'
import type { AnyEvent } from './event.ts'
import * as eventQueueEvents from './event-queue/events.ts'
import { eventQueue } from './event-queue/index.ts'
import { gateway } from './gateway/index.ts'
import * as identityEvents from './identity/events.ts'
import { identity } from './identity/index.ts'
import * as invitationsEvents from './invitations/events.ts'
import { invitations } from './invitations/index.ts'
import * as presenceEvents from './presence/events.ts'
import { presence } from './presence/index.ts'
import type { ServiceName } from './services.ts'
import type { TopicDeclaration } from './topic.ts'
import * as uploadsEvents from './uploads/events.ts'
import { uploads } from './uploads/index.ts'
import { webhookDispatcher } from './webhook-dispatcher/index.ts'

export const contracts = {
  identity,
  channels,
  invitations,
  uploads,
  presence,
  'event-queue': eventQueue,
  'webhook-dispatcher': webhookDispatcher,
  gateway,
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
