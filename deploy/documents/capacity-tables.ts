import { readFileSync } from 'node:fs'
import { engineLimits, figures } from '../capacity/figures.ts'
import { type Plan, planFor } from '../capacity/model.ts'
import { assumptions } from '../capacity/workload.ts'

const sizes = [1000, 10_000, 100_000, 1_000_000, 10_000_000]
const [begin, end] = ['<!-- tables: written by npm run documents -->', '<!-- end of tables -->']

const count = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')
const precise = (value: number): string => (value >= 10 ? count(value) : value.toPrecision(2))

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const lines: readonly [string, (plan: Plan) => string][] = [
  ['organizations (drawn)', ({ workload }) => count(workload.realms)],
  ['sends per second', ({ workload }) => precise(workload.sends)],
  ['deliveries per second', ({ workload }) => count(workload.deliveries)],
  ['other requests per second', ({ workload }) => count(workload.requests)],
  ['shards (CLIENT_EVENTS_PARTITIONS)', ({ shards }) => count(shards)],
  ['gateway pods', ({ pods }) => count(pods.gateway)],
  ['event-queue pods', ({ pods }) => count(pods.eventQueue)],
  ['channels pods', ({ pods }) => count(pods.channels)],
  ['pods of all other services', ({ pods }) => count(pods.others)],
  [
    'Postgres of channels: cores, servers',
    ({ cores, servers }) => `${precise(cores.postgres)}, ${count(servers.postgres)}`,
  ],
  ['messages in a year, TiB', ({ messagesTiBPerYear }) => precise(messagesTiBPerYear)],
  ['Kafka: cores, brokers', ({ cores, servers }) => `${precise(cores.kafka)}, ${count(servers.kafka)}`],
  [
    'Kafka: MiB per second written, before replication',
    ({ kafkaMiBPerSecond }) => precise(kafkaMiBPerSecond),
  ],
  ['Redis: cores, nodes', ({ cores, servers }) => `${precise(cores.redis)}, ${count(servers.redis)}`],
  ['Redis: GiB', ({ redisGiB }) => precise(redisGiB)],
]

const tables = (): string => {
  const plans = sizes.map(planFor)
  const costs = Object.entries({
    send: figures.send,
    delivery: figures.delivery,
    'other request': figures.request,
  })
  return [
    begin,
    '',
    '## The peak, by concurrent clients',
    '',
    table(
      ['', ...sizes.map((size) => count(size))],
      lines.map(([name, cell]) => [name, ...plans.map(cell)]),
    ),
    '',
    '## What is used up first',
    '',
    table(
      ['clients', 'limit', 'used'],
      plans.map(({ workload, first }) => [
        count(workload.clients),
        first.what,
        `${Math.round(first.share * 100)} %`,
      ]),
    ),
    '',
    '## What they are made of',
    '',
    table(
      ['CPU, microseconds per', 'where'],
      costs.map(([what, parts]) => [
        what,
        Object.entries(parts)
          .map(([name, cost]) => `${name} ${cost}`)
          .join(', '),
      ]),
    ),
    '',
    `Parked poll: gateway ${figures.poll.gateway} KiB, event-queue ${figures.poll['event-queue']} KiB. Measured ${figures.measured.at} on ${figures.measured.machine}: \`${figures.measured.commands.join('`, `')}\`.`,
    '',
    `Assumed: a client sends every ${1 / assumptions.sendsPerClient} s and asks something else every ${1 / assumptions.requestsPerClient} s in the busiest hour, ${assumptions.burst} times that in the busiest second; a channel has ${assumptions.channelMedian} connected members in the median (log-normal, sigma ${assumptions.channelSpread}); organizations have ${assumptions.smallestRealm} to ${count(assumptions.largestRealm)} connected people by a power law (exponent ${assumptions.realmExponent}). Divided rather than enlarged: Postgres beyond ${engineLimits.postgresCores} cores or ${engineLimits.postgresTiB} TiB, a Kafka broker beyond ${engineLimits.kafkaCores} cores, a Redis node beyond ${engineLimits.redisCores} of its thread, an organization beyond ${count(engineLimits.realmSends)} sends per second.`,
    '',
    end,
  ].join('\n')
}

/** deploy/capacity.md with its tables computed anew. */
export const capacityPlan = (root: URL): string => {
  const text = readFileSync(new URL('deploy/capacity.md', root), 'utf8')
  return `${text.slice(0, text.indexOf(begin))}${tables()}${text.slice(text.indexOf(end) + end.length)}`
}
