import { readFileSync } from 'node:fs'
import type { Target } from './target.ts'

export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Messages before latencies are taken (see warmUp): so many until Node and the JVM have compiled what one runs through. */
const compiledAfter = 4000
/** Messages of one turn of several systems, so that what the machine does besides slows them alike. */
const perTurn = 40

/** From the call to the other client's parsed answer, one message at a time: milliseconds, as they came. */
export const latencies = async (target: Target, rounds: number = compiledAfter): Promise<number[]> => {
  let arrived: ((text: string) => void) | undefined
  const receiver = await target.receive(1, (text) => arrived?.(text))
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const text = `latency ${round}`
    const reception = new Promise<number>((resolve) => {
      arrived = (got) => {
        if (got === text) resolve(performance.now())
      }
    })
    const began = performance.now()
    // The sender's own answer is waited for, and not counted.
    const [received] = await Promise.all([reception, target.send(0, text)])
    times.push(received - began)
    // People pause between messages; the poll is back before the next one.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  receiver.stop()
  return times
}

/** Send-to-receive of several systems that stand side by side, each asked `rounds` times, in turns: milliseconds. */
export const latencyInTurns = async (
  targets: readonly Target[],
  rounds: number,
): Promise<{ p50: number; p99: number }[]> => {
  for (const target of targets) await latencies(target)
  const times = targets.map((): number[] => [])
  for (let round = 0; round < rounds; round += perTurn) {
    for (const [place, target] of targets.entries()) times[place]!.push(...(await latencies(target, perTurn)))
  }
  return times.map((own) => {
    own.sort((a, b) => a - b)
    return { p50: quantile(own, 0.5), p99: quantile(own, 0.99) }
  })
}

/**
 * Seconds of the same load before a rate is taken, at least: Node and the JVM compile what they run often, and a system
 * that was started a moment ago is several times slower.
 */
const warmUp = 15

const ordinaryText = 'a message of an ordinary length, as people write them'

/** Sends by this many senders at once, each waiting for its answer: milliseconds that each took, from call to answer. */
const sendFor = async (target: Target, senders: number, seconds: number): Promise<number[]> => {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      while (performance.now() < end) {
        const began = performance.now()
        await target.send(sender, ordinaryText)
        times.push(performance.now() - began)
      }
    }),
  )
  return times
}

/** How long one send takes while so many senders send at once: milliseconds. */
export const sendTimes = async (
  target: Target,
  senders: number,
  seconds: number,
): Promise<{ p50: number; p99: number }> => {
  await sendFor(target, senders, warmUp / 2)
  const times = await sendFor(target, senders, seconds)
  times.sort((a, b) => a - b)
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

/** Accepted sends per second by this many senders at once; of a system that is warm. */
export const sendRate = async (target: Target, senders: number, seconds: number): Promise<number> => {
  const began = performance.now()
  const { length } = await sendFor(target, senders, seconds)
  return length / ((performance.now() - began) / 1000)
}

/** The same of a system that was started a moment ago. */
export const throughput = async (target: Target, senders: number, seconds: number): Promise<number> => {
  await sendRate(target, senders, warmUp)
  return sendRate(target, senders, seconds)
}

/** Messages delivered per second to this many receivers of one channel, as fast as they keep up. */
export const fanOut = async (target: Target, receivers: number, seconds: number): Promise<number> => {
  let delivered = 0
  const clients = await Promise.all(
    Array.from({ length: receivers }, (_, n) =>
      target.receive(n, () => {
        delivered += 1
      }),
    ),
  )
  let sent = 0
  const run = async (duration: number): Promise<void> => {
    const end = performance.now() + duration * 1000
    await Promise.all(
      [0, 1, 2, 3].map(async (sender) => {
        while (performance.now() < end) {
          // Never so far ahead that what is measured is a backlog.
          if (sent * receivers - delivered > receivers * 50) {
            await new Promise((resolve) => setTimeout(resolve, 1))
            continue
          }
          sent += 1
          await target.send(sender, ordinaryText)
        }
      }),
    )
  }
  await run(warmUp)
  const before = delivered
  const began = performance.now()
  await run(seconds)
  const rate = (delivered - before) / ((performance.now() - began) / 1000)
  const deadline = Date.now() + 20_000
  while (delivered < sent * receivers && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20))
  if (delivered !== sent * receivers) {
    throw new Error(`${target.name}: ${sent} sends to ${receivers} receivers gave ${delivered} deliveries`)
  }
  for (const client of clients) client.stop()
  return rate
}

const residentKiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)

/** Looks at memory are so many milliseconds apart, and so many in a row have to show the same. */
const lookMilliseconds = 500
const looksAlike = 5
/** Differences that memory has at rest: KiB. */
const restlessKiB = 1024
/** After so many milliseconds memory counts as it is. */
const longestSettling = 20_000

/** Resident memory of all processes, when it has come to rest. */
const settledKiB = async (target: Target): Promise<number> => {
  const looks: number[] = []
  const end = performance.now() + longestSettling
  for (;;) {
    looks.push(target.pids().reduce((sum, pid) => sum + residentKiB(pid), 0))
    const last = looks.slice(-looksAlike)
    const isAtRest = last.length === looksAlike && Math.max(...last) - Math.min(...last) <= restlessKiB
    if (isAtRest || performance.now() > end) return last.at(-1)!
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds))
  }
}

/** Resident memory of all processes per client that waits: KiB. */
export const idleMemory = async (target: Target, first: number, clients: number): Promise<number> => {
  const open = async (from: number, count: number) => {
    for (let n = 0; n < count; n += 50) {
      const some = Math.min(50, count - n)
      await Promise.all(Array.from({ length: some }, (_, k) => target.receive(from + n + k, () => {})))
    }
  }
  // The first clients grow pools and compile code, which is not a price per client.
  await open(first, 200)
  const before = await settledKiB(target)
  await open(first + 200, clients - 200)
  return ((await settledKiB(target)) - before) / (clients - 200)
}
