import type { Bus } from '@parley/bus'
import type { Database } from '@parley/db'
import { room } from '@parley/kit'

export interface Deps {
  readonly database: Database
  readonly bus: Bus
}

export const { endpoint, internal, section } = room<Deps>()
