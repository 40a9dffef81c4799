/**
 * `npm run test:soak [-- --minutes N] [--pause MS] [--json FILE]`: everybody of the faults' crowd, at a steady pace and without
 * faults. Every ten seconds the memory of each service, the age of what waits to be announced, and requests that failed; at the
 * end each service's memory slope, and the same comparison as after faults.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { rest } from '../faults/patient.ts'
import { quantile } from '../load/measurements.ts'
import { Crowd } from './crowd/crowd.ts'
import { replicatedStack } from './replicated-stack.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    pause: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
})
/** Seconds between looks. */
const every = 10
/** MiB per hour that count as growth, once caches are full; less is noise of the collector. */
const noise = 60

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Least squares: MiB per hour. */
const slopeOf = (samples: readonly { at: number; mib: number }[]): number => {
  const mean = (of: (sample: { at: number; mib: number }) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [at, mib] = [mean((sample) => sample.at), mean((sample) => sample.mib)]
  const above = samples.reduce((sum, sample) => sum + (sample.at - at) * (sample.mib - mib), 0)
  const below = samples.reduce((sum, sample) => sum + (sample.at - at) ** 2, 0)
  return below === 0 ? 0 : (above / below) * 3600
}

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
  const crowd = await Crowd.start(stack.address, { pause: Number(values.pause) })
  const began = Date.now()
  const end = began + Number(values.minutes) * 60_000
  const memory = new Map<string, { at: number; mib: number }[]>()
  const lags: number[] = []
  while (Date.now() < end) {
    await rest(every * 1000)
    const at = (Date.now() - began) / 1000
    for (const { name, pid } of stack.services) {
      if (pid === undefined) continue
      memory.set(name, [...(memory.get(name) ?? []), { at, mib: residentMiB(pid) }])
    }
    const ages = await Promise.all(
      stack.services.map(async ({ opsUrl }) => lagIn(await (await fetch(`${opsUrl}/metrics`)).text())),
    )
    lags.push(Math.max(...ages))
  }
  const times = crowd.talk.sendTimes.toSorted((a, b) => a - b)
  const failures = [...crowd.failures]
  problems = await crowd.finish(60)
  for (const { name, reason } of stack.deaths) problems.push(`${name} died: ${reason}`)
  if (failures.length > 0)
    problems.push(`${failures.length} requests failed: ${failures.slice(0, 3).join('; ')}`)
  const slopes: Record<string, { mib: number; perHour: number }> = {}
  for (const [name, samples] of memory) {
    // The first third fills caches and compiles.
    const later = samples.slice(Math.floor(samples.length / 3))
    slopes[name] = { mib: Math.round(samples.at(-1)!.mib), perHour: Math.round(slopeOf(later)) }
    if (Number(values.minutes) >= 30 && slopes[name].perHour > noise)
      problems.push(`${name} grows by ${slopes[name].perHour} MiB per hour`)
  }
  Object.assign(report, {
    minutes: Number(values.minutes),
    done: crowd.done,
    sends: { p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    oldestAnnouncementSeconds: Math.max(...lags),
    failures: failures.length,
    memory: slopes,
    problems,
  })
  console.log(JSON.stringify(report, null, 2))
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
} finally {
  await stack.end()
}
process.exit(problems.length === 0 ? 0 : 1)
