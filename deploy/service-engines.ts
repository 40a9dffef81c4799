import type { ServiceName } from '@parley/contracts'
import { servicesWithDatabase } from './preparation.ts'

/** Kinds of engines, as the labels of their pods name them too. */
export type EngineKind = 'postgres' | 'kafka' | 'redis' | 'object-store'

const redisUsers: readonly ServiceName[] = ['gateway', 'channels', 'presence', 'event-queue', 'uploads']
const storeUsers: readonly ServiceName[] = ['identity', 'uploads']

/** The engines that a service uses, and so the only ones it is given addresses of, or let through to. */
export const enginesOf = (service: ServiceName): readonly EngineKind[] => [
  'kafka',
  ...(servicesWithDatabase.some((name) => name === service) ? (['postgres'] as const) : []),
  ...(redisUsers.includes(service) ? (['redis'] as const) : []),
  ...(storeUsers.includes(service) ? (['object-store'] as const) : []),
]
