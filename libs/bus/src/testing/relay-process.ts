/**
 * A relay in a process of its own, which signals itself at a moment that tests ask for: `MOMENT` (`before` or `after`)
 * Kafka gets request number `REQUEST`. Prints a line when it is up.
 */
import { openDatabase } from '@parley/db'
import { openBus } from '../bus.ts'
import type { OrderedProducer } from '../ordered-producer.ts'
import { startRelay } from '../relay.ts'

const { DATABASE_URL, KAFKA_BROKERS, MOMENT, REQUEST, SIGNAL } = process.env
const silent = { info: () => {}, warn: () => {}, error: () => {} }
const database = await openDatabase({ url: DATABASE_URL!, service: 'gateway' })
const bus = await openBus({ brokers: KAFKA_BROKERS!.split(','), service: 'gateway', log: silent })
let requests = 0

const signalling = (producer: OrderedProducer): OrderedProducer => ({
  async send(topics) {
    requests += 1
    const isTheOne = requests === Number(REQUEST)
    if (isTheOne && MOMENT === 'before') process.kill(process.pid, SIGNAL)
    const places = await producer.send(topics)
    if (isTheOne && MOMENT === 'after') process.kill(process.pid, SIGNAL)
    return places
  },
  close: () => producer.close(),
})

await startRelay({
  database,
  bus: { ...bus, orderedProducer: () => signalling(bus.orderedProducer()) },
  log: { ...silent, info: (_, message) => console.log(message) },
  clientEvents: { partitions: 1 },
  resolvers: {},
})
