import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@parley/contracts'
import type { StackAddress } from '@parley/testkit'
import { type Stack, startStack } from '../../deploy/stack.ts'
import { type Balancer, balance } from './balancer.ts'
import { Line } from './line.ts'

export interface ReplicatedStack extends Stack {
  /** Through the balancer. */
  readonly address: StackAddress
  readonly balancer: Balancer
  /** To each engine and each process of a service, when there are any: all that speak with it use them. */
  readonly lines: readonly Line[]
  end(): Promise<void>
}

/** A system of its own with two processes of each service, and what stands in front of the gateways. */
export const replicatedStack = async (
  log: (line: string) => void,
  { withLines = false }: { withLines?: boolean } = {},
): Promise<ReplicatedStack> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-long-'))
  const lines: Line[] = []
  const detour = async (name: string, port: number): Promise<number> => {
    const line = await Line.to(name, port)
    lines.push(line)
    return line.port
  }
  const stack = await startStack({
    dataDir,
    log,
    replicas: Object.fromEntries(serviceNames.map((name) => [name, 2])),
    ...(withLines ? { detour } : {}),
    env: { ...process.env, LOG_LEVEL: 'warn' },
  })
  const gateways = stack.services
    .filter(({ service }) => service === 'gateway')
    .map((replica) => ({
      replica,
      port: lines.find(({ name }) => name === replica.name)?.port ?? replica.port,
    }))
  const balancer: Balancer = await balance(gateways)
  return Object.assign(Object.create(stack), {
    address: { ...stack.address, origin: balancer.origin },
    balancer,
    lines,
    end: async () => {
      balancer.close()
      await stack.stop({ discardData: true })
      for (const line of lines) line.close()
      if (process.env.KEEP_TEST_LOGS === undefined) await rm(dataDir, { recursive: true, force: true })
      else log(`logs: ${stack.logsDir}`)
    },
  })
}
