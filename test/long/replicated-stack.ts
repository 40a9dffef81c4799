import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@parley/contracts'
import type { StackAddress } from '@parley/testkit'
import { type Stack, startStack } from '../../deploy/stack.ts'
import { type Balancer, balance } from './balancer.ts'

export interface ReplicatedStack extends Stack {
  /** Through the balancer. */
  readonly address: StackAddress
  end(): Promise<void>
}

/** A system of its own with two processes of each service, and what stands in front of the gateways. */
export const replicatedStack = async (log: (line: string) => void): Promise<ReplicatedStack> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-long-'))
  const stack = await startStack({
    dataDir,
    log,
    replicas: Object.fromEntries(serviceNames.map((name) => [name, 2])),
    env: { ...process.env, LOG_LEVEL: 'warn' },
  })
  const balancer: Balancer = await balance(() =>
    stack.services.filter(({ service }) => service === 'gateway'),
  )
  return Object.assign(Object.create(stack), {
    address: { ...stack.address, origin: balancer.origin },
    end: async () => {
      balancer.close()
      await stack.stop({ discardData: true })
      await rm(dataDir, { recursive: true, force: true })
    },
  })
}
