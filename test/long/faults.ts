/** What can be done to a running system, and undone; each a kind of its own. */
import type { ServiceName } from '@parley/contracts'
import { serviceNames } from '@parley/contracts'
import { messagesTopic } from '@parley/contracts/channels/topics'
import { usersTopic } from '@parley/contracts/identity/topics'
import { type EngineName, engineNames } from '../../deploy/engines/engine.ts'
import { rest } from '../faults/patient.ts'
import type { Line } from './line.ts'
import { repeatRecords } from './records.ts'
import type { ReplicatedStack } from './replicated-stack.ts'

export interface Fault {
  readonly kind: string
  /** Of two faults of one part only one happens at a time. */
  readonly part: string
  /** Does it, and undoes it after some milliseconds; resolves when what was hurt is whole again. `which` is 1 or 2. */
  inject(lasting: number, which: number): Promise<void>
}

/** Seconds within which a process must come back that ends because an engine is away. */
const comebackPatience = 120

/**
 * Starts a process anew, and again when it ends because an engine is away at that moment (exit code 1), as an orchestrator
 * does.
 */
const comeBack = async (stack: ReplicatedStack, service: ServiceName, which: number): Promise<void> => {
  for (const until = Date.now() + comebackPatience * 1000; ; ) {
    try {
      await stack.restart(service, which)
      return
    } catch (error) {
      if (!String(error).includes('exit code 1;') || Date.now() > until) throw error
      await rest(500)
    }
  }
}

const serviceFaults = (stack: ReplicatedStack, service: ServiceName): Fault[] => [
  {
    kind: `${service}: SIGKILL`,
    part: service,
    async inject(lasting, which) {
      await stack.kill(service, 'SIGKILL', which)
      await rest(lasting)
      await comeBack(stack, service, which)
    },
  },
  {
    kind: `${service}: SIGTERM`,
    part: service,
    inject: (_, which) => comeBack(stack, service, which),
  },
  {
    kind: `${service}: SIGSTOP`,
    part: service,
    async inject(lasting, which) {
      await stack.kill(service, 'SIGSTOP', which)
      await rest(lasting)
      await stack.kill(service, 'SIGCONT', which)
    },
  },
]

const engineFaults = (stack: ReplicatedStack, name: EngineName): Fault[] => [
  {
    kind: `${name}: SIGKILL`,
    part: name,
    async inject(lasting) {
      await stack.stopEngine(name, 'SIGKILL')
      await rest(lasting)
      await stack.startEngine(name)
    },
  },
  {
    kind: `${name}: restart`,
    part: name,
    async inject(lasting) {
      await stack.stopEngine(name)
      await rest(lasting)
      await stack.startEngine(name)
    },
  },
  {
    kind: `${name}: SIGSTOP`,
    part: name,
    async inject(lasting) {
      const pid = stack.engines.find((engine) => engine.name === name)?.pid
      if (pid === undefined) return
      // The whole group: PostgreSQL's processes too.
      process.kill(-pid, 'SIGSTOP')
      await rest(lasting)
      process.kill(-pid, 'SIGCONT')
    },
  },
]

/** The lines to one service (both processes) or engine. */
const lineFaults = (part: string, lines: readonly Line[]): Fault[] => {
  const oneOf = (which: number) => lines[Math.min(which, lines.length) - 1]!
  const during = (act: (line: Line) => void) => async (lasting: number, which: number) => {
    act(oneOf(which))
    await rest(lasting)
    oneOf(which).mend()
  }
  return [
    { kind: `line to ${part}: cut`, part, inject: during((line) => line.cut()) },
    { kind: `line to ${part}: held`, part, inject: during((line) => line.hold()) },
    { kind: `line to ${part}: slow`, part, inject: during((line) => line.delay(40)) },
    { kind: `line to ${part}: reset`, part, inject: async (_, which) => oneOf(which).reset() },
  ]
}

const recordFaults = (stack: ReplicatedStack): Fault[] =>
  ['client-events', messagesTopic.name, usersTopic.name].flatMap((topic) =>
    (['as they were', 'reversed'] as const).map((order) => ({
      kind: `records of ${topic}: repeated${order === 'reversed' ? ' out of order' : ''}`,
      // While Kafka is not hurt otherwise.
      part: 'kafka',
      async inject(lasting: number) {
        for (const until = Date.now() + comebackPatience * 1000; ; ) {
          try {
            return await repeatRecords(stack.addresses.KAFKA_BROKERS!.split(','), topic, lasting, order)
          } catch (error) {
            // It was hurt a moment ago.
            if (Date.now() > until) throw error
            await rest(500)
          }
        }
      },
    })),
  )

/** Every fault there is for a system, in groups. */
export const faultsOf = (stack: ReplicatedStack): Fault[][] => {
  const linesOf = (service: string) =>
    stack.lines.filter(({ name }) => name === service || name === `${service}-2`)
  return [
    serviceNames.flatMap((service) => serviceFaults(stack, service)),
    engineNames.flatMap((name) => engineFaults(stack, name)),
    [...serviceNames, ...engineNames].flatMap((part) => lineFaults(part, linesOf(part))),
    recordFaults(stack),
  ]
}

/** Of ten faults so many come of each group of `faultsOf`. */
const shares = [4, 2, 3, 1]

/** The next fault by chance: always the same sequence for the same numbers. */
export const chosen = (groups: readonly Fault[][], random: () => number): Fault => {
  let place = random() * shares.reduce((sum, part) => sum + part, 0)
  const group = groups.find((_, at) => {
    place -= shares[at]!
    return place < 0
  })!
  return group[Math.floor(random() * group.length)]!
}
