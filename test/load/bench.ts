/**
 * `npm run bench`: how Parley compares with the floor, both measured in the same run on the same machine.
 * `-- --quick` halves the durations; `-- --json FILE` writes the figures; `-- --profile DIR` writes a CPU profile of each
 * service, of all figures that are measured (pick one by `--only`).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { serviceNames } from '@parley/contracts'
import { tokenSigner } from '@parley/kit'
import { stackKeys } from '../../deploy/keys.ts'
import { Secrets } from '../../deploy/secrets.ts'
import { startStack } from '../../deploy/stack.ts'
import { startFloor } from './floor.ts'
import { gatewayCost } from './gateway-cost.ts'
import { largeChannelCosts } from './large-channels.ts'
import { fanOut, idleMemory, latencyInTurns, sendTimes, throughput } from './measurements.ts'
import { narrowCosts } from './narrows.ts'
import { peopleParley } from './parley.ts'
import { presenceCosts } from './presence.ts'
import { costsText, cpuOf, cpuPer, processesOf } from './process-cpu.ts'
import { idleCpu, oneToAll, registrations } from './queues.ts'
import { sendWrites } from './send-writes.ts'
import type { Crowd, Target } from './target.ts'
import { uploadMemory, uploadSpeed } from './uploads.ts'
import { webhookDelays } from './webhooks.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
})
const scale = options.quick ? 0.5 : 1
const wanted = options.only?.split(',')

/**
 * Measured of the floor first, then of Parley; or of both in turns, where the machine's moods are larger than what is
 * measured.
 */
type Figure = {
  readonly name: string
  readonly unit: string
  readonly crowd: Crowd
} & (
  | { readonly measure: (target: Target) => Promise<Record<string, number>> }
  | { readonly measureInTurns: (targets: readonly Target[]) => Promise<Record<string, number>[]> }
)

const idleClients = 2000
/** Figures without a floor. */
const presenceFigure = 'presence'
const webhooksFigure = 'webhooks'
const narrowsFigure = 'narrows'
const largeChannelsFigure = 'large channels'
const writesFigure = 'writes per send'
const startFigure = 'start-up'
/** Clients that are too many to be people of their own: these people have up to a hundred each. */
const people = 100
const isWanted = (name: string): boolean => wanted === undefined || wanted.some((part) => name.includes(part))
const uploadsFigure = 'uploads'

const figures: Figure[] = [
  {
    name: 'send-to-receive',
    unit: 'ms',
    crowd: { senders: 2, receivers: 2, channels: 1 },
    measureInTurns: (targets) => latencyInTurns(targets, 2000 * scale),
  },
  {
    name: 'stored sends, 20 senders in 10 channels',
    unit: '1/s',
    crowd: { senders: 20, receivers: 20, channels: 10 },
    measure: async (target) => ({ rate: await throughput(target, 20, 10 * scale) }),
  },
  ...[1, 10, 100].map((senders) => ({
    name: `send times, ${senders} at once`,
    unit: 'ms',
    crowd: { senders, receivers: senders, channels: Math.min(senders, 10) },
    measure: (target: Target) => sendTimes(target, senders, 6 * scale),
  })),
  {
    name: 'deliveries, 200 receivers of one channel',
    unit: '1/s',
    crowd: { senders: 200, receivers: 200, channels: 1 },
    measure: async (target) => ({ rate: await fanOut(target, 200, 10 * scale) }),
  },
  {
    name: 'memory per idle client, all processes',
    unit: 'KiB',
    crowd: { senders: idleClients, receivers: idleClients, channels: 100 },
    measure: async (target) => ({ each: await idleMemory(target, 0, idleClients) }),
  },
  {
    name: 'idle, 5000 polls that wait: CPU of a core',
    unit: '%',
    crowd: { senders: people, receivers: people, channels: 10 },
    measure: (target) => idleCpu(target, 5000 * scale, 10),
  },
  ...[1000, 10_000].map((queues) => ({
    name: `fan-out, one message to ${queues} queues`,
    unit: 'ms, 1/s',
    crowd: { senders: people, receivers: people, channels: 1 },
    measure: (target: Target) => oneToAll(target, queues * scale, 5),
  })),
]

const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
const startedAt = performance.now()
const stack = await startStack({
  dataDir,
  log: (line) => console.error(line),
  env: {
    ...process.env,
    LOG_LEVEL: 'warn',
    ...(options.profile === undefined
      ? {}
      : {
          NODE_OPTIONS: `--import=${new URL('profile-on-signal.ts', import.meta.url)}`,
          PROFILE_DIR: resolve(options.profile),
        }),
  },
})
/** From nothing: engines, databases, topics, eight services. Milliseconds. */
const everything = performance.now() - startedAt
/** Begins a profile of every service, and the next time ends it. */
const switchProfiles = async () => {
  if (options.profile === undefined) return
  for (const { pid } of stack.services) if (pid !== undefined) process.kill(pid, 'SIGUSR2')
  await pause(1000)
}
/** Every process that takes part, the client (this one) among them. */
const named = () => ({ ...processesOf(stack), client: process.pid })
const redisUrl = stack.addresses.REDIS_URL!
const report: object[] = []
const pids = (): number[] => Object.values(processesOf(stack))

/** What the floor has, and Parley; says what a send costs each process where Parley is measured alone. */
const measured = async (figure: Figure): Promise<Record<string, number>[]> => {
  const floor = await startFloor(redisUrl, figure.crowd)
  if ('measureInTurns' in figure) {
    const parley = await peopleParley(stack.address, figure.crowd, pids)
    await switchProfiles()
    const values = await figure.measureInTurns([floor, parley]).finally(() => floor.stop())
    await switchProfiles()
    await parley.stop()
    return values
  }
  const least = await figure.measure(floor).finally(() => floor.stop())
  const parley = await peopleParley(stack.address, figure.crowd, pids)
  await switchProfiles()
  const [before, sentBefore] = [await cpuOf(named()), parley.sends()]
  const own = await figure.measure(parley)
  const sends = parley.sends() - sentBefore
  if (sends > 0) {
    const cpu = cpuPer(sends, before, await cpuOf(named()))
    report.push({ figure: `${figure.name}: CPU per send`, unit: 'us', cpu })
    console.log(`${'  CPU per send, us'.padEnd(52)} ${costsText(cpu)}`)
  }
  await switchProfiles()
  await parley.stop()
  return [least, own]
}

try {
  for (const figure of figures) {
    const { name, unit } = figure
    if (!isWanted(name)) continue
    const [least, own] = await measured(figure)
    for (const [part, value] of Object.entries(own!)) {
      const floorValue = least![part]!
      report.push({
        figure: `${name} (${part})`,
        unit,
        parley: value,
        floor: floorValue,
        ratio: value / floorValue,
      })
      const round = (number: number) => (number >= 100 ? number.toFixed(0) : number.toFixed(2))
      console.log(
        `${`${name} (${part})`.padEnd(52)} parley ${round(value).padStart(9)} ${unit.padEnd(4)} floor ${round(floorValue).padStart(9)}  ratio ${(value / floorValue).toFixed(2)}`,
      )
    }
  }

  if (isWanted(writesFigure)) {
    for (const cost of await sendWrites(stack.address, stack.databaseUrls.channels, [10, 2000], 300)) {
      report.push({ figure: writesFigure, ...cost })
      const { subscribers, rows, bytes } = cost
      console.log(
        `${`${writesFigure} to ${subscribers} subscribers`.padEnd(52)} ${rows.toFixed(2)} rows  ${bytes.toFixed(0)} bytes of WAL`,
      )
    }
  }
  if (isWanted(startFigure)) {
    const milliseconds: Record<string, number> = { everything }
    for (const service of serviceNames) {
      const began = performance.now()
      await stack.restart(service)
      milliseconds[service] = performance.now() - began
    }
    report.push({ figure: startFigure, unit: 'ms', ...milliseconds })
    console.log(
      `${`${startFigure} from an empty folder; ended and started again, ms`.padEnd(52)} ${costsText(milliseconds)}`,
    )
  }
  if (isWanted(presenceFigure)) {
    const pids = {
      presence: stack.replica('presence').pid!,
      redis: stack.engines.find((engine) => engine.name === 'redis')!.pid!,
      gateway: stack.replica('gateway').pid!,
    }
    for (const { online, kind, named, cpu } of await presenceCosts(stack.address, pids, 2000 * scale)) {
      report.push({ figure: presenceFigure, unit: 'us', online, kind, named, cpu })
      const answer = `answer: ${kind} (${named.toFixed(0)} users)`
      console.log(`${`CPU per ping, us: ${online} online, ${answer}`.padEnd(64)} ${costsText(cpu)}`)
    }
  }
  if (isWanted(webhooksFigure)) {
    const delays = await webhookDelays(stack.address, {
      receivers: 200,
      perSecond: 40,
      seconds: 15,
    })
    for (const { others, p50, p99 } of delays) {
      report.push({ figure: webhooksFigure, unit: 'ms', others, p50, p99 })
      const text = `p50 ${p50.toFixed(1).padStart(7)}  p99 ${p99.toFixed(1).padStart(7)} ms`
      console.log(`${`message to call, 100 receivers; 100 others ${others}`.padEnd(52)} ${text}`)
    }
  }
  if (isWanted(narrowsFigure)) {
    const messages = 1_000_000
    const rounds = Math.round(100 * scale)
    const databases = { databaseUrl: stack.databaseUrls.channels, adminUrl: stack.addresses.DATABASE_URL! }
    for (const cost of await narrowCosts(stack.address, databases, messages, rounds)) {
      report.push({ figure: narrowsFigure, unit: 'ms', messages, ...cost })
      const { narrow, p50, p95 } = cost
      console.log(
        `${`narrow ${narrow}`.padEnd(52)} p50 ${p50.toFixed(1).padStart(8)} ms  p95 ${p95.toFixed(1).padStart(8)} ms`,
      )
    }
  }
  if (isWanted(largeChannelsFigure)) {
    const { pid } = stack.replica('channels')
    const url = stack.databaseUrls.channels
    for (const cost of await largeChannelCosts(stack.address, url, pid!, 2000 * scale)) {
      report.push({ figure: largeChannelsFigure, unit: 'ms', ...cost })
      const { what, milliseconds, bytes, mebibytes } = cost
      console.log(
        `${what.padEnd(52)} ${milliseconds.toFixed(0).padStart(8)} ms  ${(bytes / 1e6).toFixed(1).padStart(8)} MB  memory +${mebibytes.toFixed(0)} MiB`,
      )
    }
  }
  if (isWanted(uploadsFigure)) {
    const { S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION } = stack.addresses
    const under = {
      store: {
        endpoint: S3_ENDPOINT!,
        accessKey: S3_ACCESS_KEY!,
        secretKey: S3_SECRET_KEY!,
        region: S3_REGION!,
        bucket: 'parley',
      },
      pid: () => stack.replica('uploads').pid!,
    }
    const measured = {
      'speed, MiB/s': await uploadSpeed(stack.address, under, Math.ceil(6 * scale)),
      'memory of 50 uploads at once, MiB': await uploadMemory(stack.address, under, 50, 100 * scale),
    }
    for (const [kind, values] of Object.entries(measured)) {
      report.push({ figure: `${uploadsFigure}: ${kind}`, ...values })
      const parts = Object.entries(values).map(([name, value]) => `${name} ${value.toFixed(2)}`)
      console.log(`${`${uploadsFigure}: ${kind}`.padEnd(52)} ${parts.join('  ')}`)
    }
  }

  if (isWanted('register')) {
    const size = { users: 10_000 * scale, channels: 500, calls: 200 * scale, herd: 1000 }
    const { p50, p99, kib, herdSeconds, herdP99 } = await registrations(stack, size)
    report.push({ figure: 'register', unit: 'ms', ...size, p50, p99, kib })
    report.push({ figure: 'herd', unit: 's', herdSeconds, herdP99 })
    console.log(
      `${`register, ${size.users} users and ${size.channels} channels`.padEnd(52)} p50 ${p50.toFixed(0)} ms  p99 ${p99.toFixed(0)} ms  ${kib.toFixed(0)} KiB`,
    )
    console.log(
      `${`herd, ${size.herd} registrations at once`.padEnd(52)} all after ${herdSeconds.toFixed(2)} s  p99 ${(herdP99 / 1000).toFixed(2)} s`,
    )
  }

  if (isWanted('gateway')) {
    const pids = { gateway: stack.replica('gateway').pid!, identity: stack.replica('identity').pid! }
    const signer = tokenSigner('gateway', stackKeys(new Secrets(dataDir)).signing.gateway)
    const cost = await gatewayCost(stack.address, pids, (caller) => signer.sign(caller as never), 6 * scale)
    report.push({ figure: 'gateway', unit: 'us, 1/s', ...cost })
    console.log(
      `${'gateway, GET /users/me by 20 at a time'.padEnd(52)} gateway ${cost.gateway.toFixed(0)} us  identity ${cost.service.toFixed(0)} us  ${cost.through.toFixed(0)}/s, direct ${cost.direct.toFixed(0)}/s, ratio ${(cost.through / cost.direct).toFixed(2)}`,
    )
  }

  if (options.json !== undefined) {
    const machine = {
      cores: cpus().length,
      model: cpus()[0]?.model,
      node: process.version,
      at: new Date().toISOString(),
    }
    await writeFile(options.json, `${JSON.stringify({ machine, figures: report }, null, 2)}\n`)
  }
} finally {
  await stack.stop({ discardData: true })
  await rm(dataDir, { recursive: true, force: true })
}
process.exit(0)
