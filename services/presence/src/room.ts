import type { Bus } from '@parley/bus'
import { room } from '@parley/kit'
import type { Redis } from 'ioredis'

export interface Deps {
  readonly redis: Redis
  readonly bus: Bus
}

export const { endpoint, internal, section } = room<Deps>()
