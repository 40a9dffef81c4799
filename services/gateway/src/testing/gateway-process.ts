import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { serviceNames } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { deadPort } from './small-house.ts'

export interface GatewayProcess {
  readonly port: number
  /** Ends it in its own stages; resolves with exit code and signal. */
  leave(): Promise<unknown[]>
  kill(): void
}

/** A gateway as it is run, with nobody behind it: no Kafka, no service, and no Redis unless `settings` name one. */
export const startGateway = async (settings: Record<string, string> = {}): Promise<GatewayProcess> => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const trusted = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const [dead, port, opsPort] = [await deadPort(), await deadPort(), await deadPort()]
  const urls = serviceNames.map((name) => [
    `${name.toUpperCase().replaceAll('-', '_')}_URL`,
    `http://127.0.0.1:${dead}`,
  ])
  const gateway: ChildProcess = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(urls),
      MODE: 'development',
      HOST: '127.0.0.1',
      PORT: String(port),
      OPS_PORT: String(opsPort),
      PUBLIC_URL: 'http://chat.test',
      SIGNING_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      TRUSTED_KEYS: JSON.stringify({ gateway: trusted }),
      KAFKA_BROKERS: `127.0.0.1:${dead}`,
      REDIS_URL: `redis://127.0.0.1:${dead}`,
      ...settings,
    },
  })
  const ended = once(gateway, 'exit')
  try {
    await eventually(async () => {
      const { status } = await fetch(`http://127.0.0.1:${opsPort}/ready`)
      if (status !== 200) throw new Error(`the gateway says ${status}`)
    }, 40)
  } catch (error) {
    gateway.kill('SIGKILL')
    throw error
  }
  return {
    port,
    leave: () => {
      gateway.kill('SIGTERM')
      return ended
    },
    kill: () => void gateway.kill('SIGKILL'),
  }
}
