/** Every room but event-queue, whose registration answer is made of what the others own. */
import { channels } from './channels/index.ts'
import type { ServiceContract } from './contract.ts'
import { gateway } from './gateway/index.ts'
import { identity } from './identity/index.ts'
import { invitations } from './invitations/index.ts'
import { presence } from './presence/index.ts'
import type { ServiceName } from './services.ts'
import { uploads } from './uploads/index.ts'
import { webhookDispatcher } from './webhook-dispatcher/index.ts'

export const otherRooms = {
  identity,
  channels,
  invitations,
  uploads,
  presence,
  'webhook-dispatcher': webhookDispatcher,
  gateway,
} as const satisfies Record<Exclude<ServiceName, 'event-queue'>, ServiceContract>
