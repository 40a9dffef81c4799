/**
 * `npm run test:soak [-- --minutes N] [--pause MS] [--calm TIMES] [--json FILE]`: everybody of the faults' crowd, at a steady pace
 * (by default about 70 % of two cores) and without faults: talkers rest for `pause`, all others `calm` times as long as they do
 * among faults. Every ten seconds the memory of each service, the age of what waits to be announced, and requests that failed;
 * at the end how each service's memory grows, and the same comparison as after faults.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { rest } from '../faults/patient.ts'
import { quantile } from '../load/measurements.ts'
import { Crowd } from './crowd/crowd.ts'
import { replicatedStack } from './replicated-stack.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    pause: { type: 'string', default: '150' },
    calm: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
})
/** Seconds between looks. */
const every = 10
/** Seconds in which a process collects its old garbage at least once, at this load. */
const collected = 120
/** MiB per hour by which what outlives a collection may grow, once caches are full. */
const noise = 30

/** A look at a process: seconds since the beginning, and MiB. */
interface Look {
  readonly at: number
  /** What the system gave it, without files that it shares. */
  readonly anonymous: number
  /** Objects that survived, and garbage among them that is not collected yet. */
  readonly old: number
}

const anonymousMiB = (pid: number): number =>
  Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

const oldMiB = (text: string): number =>
  Number(/^nodejs_heap_space_size_used_bytes\{[^}]*space="old"[^}]*\} ([\d.e+]+)$/m.exec(text)![1]) / 2 ** 20

/** Milliseconds that the cores of this machine worked, and all that passed for them. */
const coreTimes = () => {
  const times = cpus().map((core) => core.times)
  const sum = (of: (one: (typeof times)[number]) => number) => times.reduce((all, one) => all + of(one), 0)
  const all = sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq)
  return { busy: all - sum(({ idle }) => idle), all }
}

/** Least squares: by how much it grows in an hour. */
const slopeOf = (points: readonly (readonly [at: number, mib: number])[]): number => {
  const mean = (place: 0 | 1) => points.reduce((sum, point) => sum + point[place], 0) / points.length
  const [at, mib] = [mean(0), mean(1)]
  const above = points.reduce((sum, point) => sum + (point[0] - at) * (point[1] - mib), 0)
  const below = points.reduce((sum, point) => sum + (point[0] - at) ** 2, 0)
  return below === 0 ? 0 : (above / below) * 3600
}

/** What is left after collections: the least of each while. */
const retained = (looks: readonly Look[]): [number, number][] =>
  [...Map.groupBy(looks, ({ at }) => Math.floor(at / collected))].map(([n, same]) => [
    n * collected,
    Math.min(...same.map(({ old }) => old)),
  ])

const lagIn = (text: string): number =>
  Math.max(
    0,
    ...[...text.matchAll(/^parley_outbox_oldest_seconds(?:\{[^}]*\})? ([\d.e+-]+)$/gm)].map(([, age]) =>
      Number(age),
    ),
  )

const stack = await replicatedStack((line) => console.error(line))
let problems: string[] = ['the run did not come to its end']
const report: Record<string, unknown> = {}
try {
  const crowd = await Crowd.start(stack.address, { pause: Number(values.pause), calm: Number(values.calm) })
  const began = Date.now()
  const coresBefore = coreTimes()
  const end = began + Number(values.minutes) * 60_000
  const memory = new Map<string, Look[]>()
  const lags: number[] = []
  while (Date.now() < end) {
    await rest(every * 1000)
    const at = (Date.now() - began) / 1000
    const ages = await Promise.all(
      stack.services.map(async ({ name, pid, opsUrl }) => {
        const metrics = await (await fetch(`${opsUrl}/metrics`)).text()
        const look = { at, anonymous: anonymousMiB(pid!), old: oldMiB(metrics) }
        memory.set(name, [...(memory.get(name) ?? []), look])
        return lagIn(metrics)
      }),
    )
    lags.push(Math.max(...ages))
  }
  const cores = coreTimes()
  const load = (cores.busy - coresBefore.busy) / (cores.all - coresBefore.all)
  const times = crowd.talk.sendTimes.toSorted((a, b) => a - b)
  const failures = [...crowd.failures]
  problems = await crowd.finish(60)
  for (const { name, reason } of stack.deaths) problems.push(`${name} died: ${reason}`)
  if (failures.length > 0)
    problems.push(`${failures.length} requests failed: ${failures.slice(0, 3).join('; ')}`)
  const growth: Record<
    string,
    Record<'anonymous' | 'most' | 'perHour' | 'retained' | 'retainedPerHour', number>
  > = {}
  for (const [name, looks] of memory) {
    // The first third fills caches and compiles.
    const later = looks.slice(Math.floor(looks.length / 3))
    const minima = retained(later)
    const retainedPerHour = Math.round(slopeOf(minima))
    growth[name] = {
      anonymous: Math.round(looks.at(-1)!.anonymous),
      most: Math.round(Math.max(...looks.map(({ anonymous }) => anonymous))),
      perHour: Math.round(slopeOf(later.map(({ at, anonymous }) => [at, anonymous]))),
      retained: Math.round(minima.at(-1)![1]),
      retainedPerHour,
    }
    if (Number(values.minutes) >= 30 && retainedPerHour > noise)
      problems.push(`${name} keeps ${retainedPerHour} MiB more each hour`)
  }
  Object.assign(report, {
    minutes: Number(values.minutes),
    /** Of all cores, with the clients and the engines. */
    load: Math.round(load * 100) / 100,
    done: crowd.done,
    sends: { p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    oldestAnnouncementSeconds: Math.max(...lags),
    failures: failures.length,
    memory: growth,
    problems,
  })
  console.log(JSON.stringify(report, null, 2))
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
} finally {
  await stack.end()
}
process.exit(problems.length === 0 ? 0 : 1)
