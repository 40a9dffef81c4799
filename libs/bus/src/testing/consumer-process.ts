/**
 * A consumer in a process of its own: counts each entity's facts in the table `effects`, and kills itself with an effect
 * made and not yet committed, once it has handled `LAST` facts.
 */
import { topic } from '@parley/contracts'
import { openDatabase } from '@parley/db'
import { openBus } from '../bus.ts'
import { consumeIntoDatabase } from '../consume-into-database.ts'
import { Change } from './kafka-room.ts'

const { DATABASE_URL, KAFKA_BROKERS, TOPIC, CONSUMER, LAST } = process.env
const silent = { info: () => {}, warn: () => {}, error: () => {} }
const database = await openDatabase({ url: DATABASE_URL!, service: 'gateway' })
const bus = await openBus({ brokers: KAFKA_BROKERS!.split(','), service: 'gateway', log: silent })
let handled = 0

await consumeIntoDatabase({
  bus,
  database,
  name: CONSUMER!,
  topic: topic(TOPIC!, { value: Change, compacted: false }),
  async handle(tx, { key, value }) {
    await tx.sql`INSERT INTO effects (consumer, key, n) VALUES (${CONSUMER!}, ${key}, ${value!.n})`
    handled += 1
    if (handled === Number(LAST)) process.kill(process.pid, 'SIGKILL')
  },
})
