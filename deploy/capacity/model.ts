/** Pods and engines for a workload, from what one unit of work costs; no I/O. */
import { engineLimits, figures, pods } from './figures.ts'
import { simulate, type Workload } from './workload.ts'

export interface Plan {
  readonly workload: Workload
  readonly shards: number
  readonly pods: {
    readonly gateway: number
    readonly eventQueue: number
    readonly channels: number
    readonly others: number
  }
  /** Cores at the peak, replicas and spare left out. */
  readonly cores: { readonly postgres: number; readonly kafka: number; readonly redis: number }
  readonly servers: { readonly postgres: number; readonly kafka: number; readonly redis: number }
  readonly redisGiB: number
  readonly kafkaMiBPerSecond: number
  readonly messagesTiBPerYear: number
  /** What is used up first, as a share of its limit. */
  readonly first: { readonly what: string; readonly share: number }
}

const coresOf = (microsecondsPerSecond: number): number => microsecondsPerSecond / 1e6

/** Seconds for which a delivered message stays in Redis, on average: until the client's next poll acknowledges it. */
const redisSeconds = 60
/** Of the busiest second, over a whole year. */
const yearlyShare = 0.12

const atLeastTwo = (count: number): number => Math.max(2, Math.ceil(count))

const shardsFor = (clients: number): number => {
  const wanted = Math.ceil(clients / pods['event-queue'].polls) * 4
  return Math.max(4, 2 ** Math.ceil(Math.log2(wanted)))
}

export const planFor = (clients: number): Plan => {
  const shards = shardsFor(clients)
  const workload = simulate(clients, shards)
  const { sends, deliveries, requests } = workload
  const { send, delivery, request, poll, bytes } = figures
  const cores = (cost: number, perPod: { cores: number }) => coresOf(cost) / (perPod.cores * pods.utilisation)
  const memory = (kib: number, perPod: { memoryMiB: number }) => kib / 1024 / (perPod.memoryMiB * 0.7)

  const gateway = Math.max(
    cores(sends * send.gateway + deliveries * delivery.gateway + requests * request.gateway, pods.gateway),
    memory(clients * poll.gateway, pods.gateway),
    clients / pods.gateway.polls,
  )
  const records = sends * workload.shardsPerSend
  const eventQueue = Math.max(
    cores(
      sends * send['event-queue'] * Math.max(1, workload.shardsPerSend / 4) +
        deliveries * delivery['event-queue'],
      pods['event-queue'],
    ),
    memory(clients * poll['event-queue'], pods['event-queue']),
    clients / pods['event-queue'].polls,
  )
  const postgres = coresOf(sends * send.postgres + requests * request.postgres)
  const kafka = coresOf(sends * send.kafka * Math.max(1, workload.shardsPerSend / 4))
  const redis = coresOf(deliveries * delivery.redis)
  const tib = (sends * bytes.messageRow * 31_536_000 * yearlyShare) / 2 ** 40
  const shares = [
    {
      what: 'one organization: messages of a realm are stored in one order',
      share: workload.busiestRealm / engineLimits.realmSends,
    },
    {
      what: 'one shard of client events: its records are applied by one process',
      share: workload.busiestShard / engineLimits.shardRecords,
    },
    { what: 'CPU of one Postgres server (channels)', share: postgres / engineLimits.postgresCores },
    { what: 'disk of one Postgres server (a year of messages)', share: tib / engineLimits.postgresTiB },
    { what: 'the single thread of one Redis', share: redis / engineLimits.redisCores },
    { what: 'CPU of one Kafka broker', share: kafka / engineLimits.kafkaCores },
  ].sort((a, b) => b.share - a.share)
  return {
    workload,
    shards,
    pods: {
      gateway: atLeastTwo(gateway),
      eventQueue: Math.min(shards, atLeastTwo(eventQueue)),
      channels: atLeastTwo(cores(sends * send.channels + requests * request.service * 0.5, pods.channels)),
      others: atLeastTwo(cores(requests * request.service * 0.5 + sends * send.followers, pods.others)) + 6,
    },
    cores: { postgres, kafka, redis },
    servers: {
      postgres: Math.max(
        1,
        Math.ceil(Math.max(postgres / engineLimits.postgresCores, tib / engineLimits.postgresTiB)),
      ),
      kafka: Math.max(3, Math.ceil(kafka / engineLimits.kafkaCores)),
      redis: Math.max(1, Math.ceil(redis / engineLimits.redisCores)),
    },
    redisGiB:
      ((records * bytes.redisPayload + deliveries * bytes.redisPosition) * redisSeconds + clients * 1200) /
      2 ** 30,
    kafkaMiBPerSecond: (records * bytes.kafkaRecord + sends * bytes.kafkaRecord) / 2 ** 20,
    messagesTiBPerYear: tib,
    first: shares[0]!,
  }
}
