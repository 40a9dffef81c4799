/** The people of a deployment and what they do in its busiest second, drawn at random from a seed: the same every time. */

export interface Workload {
  /** Clients that wait for events at once. */
  readonly clients: number
  readonly realms: number
  readonly sends: number
  readonly deliveries: number
  readonly requests: number
  /** Sends per second of the busiest organization. */
  readonly busiestRealm: number
  /** Shards that a message touches, on average, of those that there are. */
  readonly shardsPerSend: number
  /** Records per second of the busiest shard, if shards were as many as asked. */
  readonly busiestShard: number
}

export const assumptions = {
  /** Sends per second of a connected client at the peak: one in five minutes. */
  sendsPerClient: 1 / 300,
  /** Other requests per second of a connected client: a presence ping a minute, flags, reads. */
  requestsPerClient: 1 / 30,
  /** The busiest second of the busiest hour has so many times the hour's mean. */
  burst: 1.5,
  /** Connected people in a channel: the median, and the spread (sigma of the logarithm). */
  channelMedian: 12,
  channelSpread: 1.3,
  /** Sizes of organizations follow a power law from the smallest to the largest. */
  smallestRealm: 5,
  largestRealm: 100_000,
  realmExponent: 1.6,
} as const

/** Mulberry32: small, and good enough to draw sizes with. */
const random = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

const normal = (draw: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())

const realmSizes = (clients: number, draw: () => number): number[] => {
  const { smallestRealm: low, largestRealm, realmExponent } = assumptions
  const high = Math.min(largestRealm, clients)
  const power = 1 - realmExponent
  const sizes: number[] = []
  for (let left = clients; left > 0; ) {
    const size = (low ** power + draw() * (high ** power - low ** power)) ** (1 / power)
    const taken = Math.min(left, Math.round(size))
    sizes.push(taken)
    left -= taken
  }
  return sizes
}

/** How many of a channel's members hear of a message: never more than there are in the organization. */
const listeners = (realmSize: number, draw: () => number): number => {
  const { channelMedian, channelSpread } = assumptions
  const size = Math.round(channelMedian * Math.exp(channelSpread * normal(draw)))
  return Math.max(1, Math.min(realmSize, size))
}

/** Different shards that so many people are spread over, on average. */
const shardsOf = (people: number, shards: number): number => shards * (1 - (1 - 1 / shards) ** people)

/** Draws a deployment and plays ten of its busiest seconds. */
export const simulate = (clients: number, shards: number, seed = 509): Workload => {
  const draw = random(seed)
  const sizes = realmSizes(clients, draw)
  const sendRate = assumptions.sendsPerClient * assumptions.burst
  let [sends, deliveries, touched, busiestRealm] = [0, 0, 0, 0]
  const seconds = 10
  for (const size of sizes) {
    const mean = size * sendRate * seconds
    // A Poisson number; a normal one where it is large.
    let sent = 0
    if (mean > 50) sent = Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(draw)))
    else for (let left = Math.exp(-mean), product = draw(); product > left; product *= draw()) sent += 1
    busiestRealm = Math.max(busiestRealm, sent / seconds)
    sends += sent
    // Of a busy organization a sample of messages is as good as all of them.
    const sample = Math.min(sent, 200)
    for (let n = 0; n < sample; n += 1) {
      const heard = listeners(size, draw)
      deliveries += (heard * sent) / sample
      touched += (shardsOf(heard, shards) * sent) / sample
    }
  }
  return {
    clients,
    realms: sizes.length,
    sends: sends / seconds,
    deliveries: deliveries / seconds,
    requests: clients * assumptions.requestsPerClient * assumptions.burst,
    busiestRealm,
    shardsPerSend: touched / Math.max(1, sends),
    busiestShard: (touched / seconds / shards) * 1.2,
  }
}
