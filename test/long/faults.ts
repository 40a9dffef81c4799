/** What can be done to a running system, and undone; each a kind of its own. */
import type { ServiceName } from '@parley/contracts'
import { serviceNames } from '@parley/contracts'
import type { EngineName } from '../../deploy/engines/engine.ts'
import type { Stack } from '../../deploy/stack.ts'

export interface Fault {
  readonly kind: string
  /** Does it, and undoes it after some milliseconds; resolves when the system is whole again. */
  inject(lasting: number): Promise<void>
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const serviceFaults = (stack: Stack, service: ServiceName, pick: () => number): Fault[] => [
  {
    kind: `${service}: SIGKILL`,
    async inject(lasting) {
      const number = pick()
      await stack.kill(service, 'SIGKILL', number)
      await pause(lasting)
      await stack.restart(service, number)
    },
  },
  {
    kind: `${service}: SIGTERM`,
    async inject() {
      await stack.restart(service, pick())
    },
  },
  {
    kind: `${service}: SIGSTOP`,
    async inject(lasting) {
      const number = pick()
      await stack.kill(service, 'SIGSTOP', number)
      await pause(lasting)
      await stack.kill(service, 'SIGCONT', number)
    },
  },
]

const engineFaults = (stack: Stack, name: EngineName): Fault[] => [
  {
    kind: `${name}: SIGKILL`,
    async inject(lasting) {
      await stack.stopEngine(name, 'SIGKILL')
      await pause(lasting)
      await stack.startEngine(name)
    },
  },
  {
    kind: `${name}: stopped`,
    async inject(lasting) {
      await stack.stopEngine(name)
      await pause(lasting)
      await stack.startEngine(name)
    },
  },
  {
    kind: `${name}: SIGSTOP`,
    async inject(lasting) {
      const pid = stack.engines.find((engine) => engine.name === name)?.pid
      if (pid === undefined) return
      // The whole group: PostgreSQL's processes too.
      process.kill(-pid, 'SIGSTOP')
      await pause(lasting)
      process.kill(-pid, 'SIGCONT')
    },
  },
]

/**
 * Every fault there is for a system. Redis is not killed: what it loses of its last second is repaired, what it loses of all
 * is told to clients (test/faults/redis-last-second-lost.test.ts).
 */
export const faultsOf = (stack: Stack, random: () => number): Fault[] => [
  ...serviceNames.flatMap((service) => serviceFaults(stack, service, () => (random() < 0.5 ? 1 : 2))),
  ...(['kafka', 'postgres', 'minio'] as const).flatMap((name) => engineFaults(stack, name)),
  ...engineFaults(stack, 'redis').filter(({ kind }) => !kind.endsWith('SIGKILL')),
]
