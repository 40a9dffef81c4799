import { readdir, readFile } from 'node:fs/promises'

/** Of /proc's CPU times. */
const microsecondsPerTick = 10_000

const statOf = async (pid: string): Promise<{ parent: number; cpu: number } | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), cpu: (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick }
}

/** The CPU time of each named process and all that it started, since each began: microseconds. */
export const cpuOf = async (pids: Readonly<Record<string, number>>): Promise<ReadonlyMap<string, number>> => {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = new Map<number, { parent: number; cpu: number }>()
  await Promise.all(
    all.map(async (pid) => {
      const stat = await statOf(pid)
      if (stat !== undefined) stats.set(Number(pid), stat)
    }),
  )
  const names = new Map(Object.entries(pids).map(([name, pid]) => [pid, name]))
  const total = new Map<string, number>()
  for (const [pid, { cpu }] of stats) {
    let owner: number | undefined = pid
    while (owner !== undefined && !names.has(owner)) owner = stats.get(owner)?.parent
    const name = owner === undefined ? undefined : names.get(owner)
    if (name !== undefined) total.set(name, (total.get(name) ?? 0) + cpu)
  }
  return total
}

/** What ran between two readings, as microseconds per unit of work; processes that did next to nothing are left out. */
export const cpuPer = (
  units: number,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Record<string, number> =>
  Object.fromEntries(
    [...after]
      .map(([name, cpu]): [string, number] => [name, (cpu - (before.get(name) ?? 0)) / units])
      .filter(([, cost]) => cost >= 1)
      .sort(([, a], [, b]) => b - a),
  )

interface Process {
  readonly name: string
  readonly pid: number | undefined
}

/** The processes of a running Parley and its engines, by name. */
export const processesOf = (stack: {
  readonly services: readonly Process[]
  readonly engines: readonly Process[]
}): Record<string, number> =>
  Object.fromEntries(
    [...stack.services, ...stack.engines].flatMap(({ name, pid }) =>
      pid === undefined ? [] : [[name, pid]],
    ),
  )

/** What each process cost, in the order given. */
export const costsText = (costs: Readonly<Record<string, number>>): string =>
  Object.entries(costs)
    .map(([name, cost]) => `${name} ${cost.toFixed(0)}`)
    .join('  ')
