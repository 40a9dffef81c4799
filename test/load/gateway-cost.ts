import { callerHeader } from '@parley/kit/caller-token'
import { type StackAddress, World } from '@parley/testkit'
import { Agent, request } from 'undici'
import { cpuOf } from './process-cpu.ts'

const atOnce = 20

export interface GatewayCost {
  /** Microseconds of CPU per request. */
  readonly gateway: number
  readonly service: number
  /** Requests per second through the gateway, and to the service itself. */
  readonly through: number
  readonly direct: number
}

/**
 * What the door costs: the same small request (`GET /users/me`) through the gateway and, with a token as the gateway signs
 * them, to the service.
 */
export const gatewayCost = async (
  stack: StackAddress,
  pids: { gateway: number; identity: number },
  sign: (caller: object) => Promise<string>,
  seconds: number,
): Promise<GatewayCost> => {
  const world = await World.create(stack)
  const user = await world.user()
  const { email, key } = user.credentials!
  const agent = new Agent({ connections: atOnce })
  const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
  const caller = {
    realm: { id: world.realmId, subdomain: world.subdomain, url: stack.origin },
    user: { id: user.id, role: 400, bot_type: null },
    client: 'bench',
  }
  const token = await sign(caller)
  const ways = {
    through: { url: `${stack.origin}/api/v1/users/me`, headers: { host: user.host, authorization } },
    direct: { url: `${stack.identityUrl}/api/v1/users/me`, headers: { [callerHeader]: token } },
  }
  const run = async (
    { url, headers }: (typeof ways)[keyof typeof ways],
    duration: number,
  ): Promise<number> => {
    let done = 0
    const end = performance.now() + duration * 1000
    const began = performance.now()
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (performance.now() < end) {
          const { statusCode, body } = await request(url, { dispatcher: agent, headers: headers as never })
          if (statusCode !== 200) throw new Error(`${url} answered ${statusCode} ${await body.text()}`)
          await body.dump()
          done += 1
        }
      }),
    )
    return done / ((performance.now() - began) / 1000)
  }
  for (const way of Object.values(ways)) await run(way, seconds / 3)
  const before = await cpuOf(pids)
  const through = await run(ways.through, seconds)
  const after = await cpuOf(pids)
  const direct = await run(ways.direct, seconds)
  await agent.destroy()
  const per = (name: string) => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / (through * seconds)
  return { gateway: per('gateway'), service: per('identity'), through, direct }
}
