export { type AdvanceNotice, noticeChannel, readNotice, type Tell } from './advance-notices.ts'
export { type Bus, openBus, type PartitionRange } from './bus.ts'
export {
  clientEventRow,
  clientEventsTopic,
  type Envelope,
  readClientEvent,
  shardOf,
  splitByShard,
} from './client-events.ts'
export { consumeEverywhere, type EverywhereConsumer } from './consume-everywhere.ts'
export { consumeIntoDatabase, type Fact, type RunningConsumer } from './consume-into-database.ts'
export { consumeShards, type ShardConsumer } from './consume-shards.ts'
export type { DeadLetter } from './dead-letters.ts'
export type { RecordPlace } from './direct-publisher.ts'
export type { KafkaAccess } from './kafka-client.ts'
export type { OrderedProducer, OutgoingRecord } from './ordered-producer.ts'
export { Pace } from './pace.ts'
export { readDeadLetters } from './read-dead-letters.ts'
export type { ReceivedRecord } from './received-record.ts'
export { type Relay, startRelay } from './relay.ts'
export type { Account } from './relay-ledger.ts'
export type { EnteredRow, Loan, LoanDesk } from './relay-loans.ts'
export type { AudienceResolver } from './relay-records.ts'
export { type ReplayOutcome, replayDeadLetters } from './replay-dead-letters.ts'
export { isRepeated, type SeenSequences } from './sequence.ts'
export { consumerSpan, currentTraceparent, inBatchSpan, withSpan } from './trace.ts'
