import { Counter, Gauge, Histogram } from 'prom-client'

const delivery = [0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const queueCount = new Gauge({
  name: 'parley_event_queues',
  help: 'Queues of a shard that this process owns.',
  labelNames: ['shard'],
})

export const waitingPolls = new Gauge({
  name: 'parley_event_polls_waiting',
  help: 'Requests for events that wait in this process.',
})

export const appendToAnswer = new Histogram({
  name: 'parley_event_append_to_answer_seconds',
  help: 'From handing an event to Redis to answering a waiting poll with it; next to nothing where it was told before that.',
  buckets: delivery,
})

export const commitToAnswer = new Histogram({
  name: 'parley_event_commit_to_answer_seconds',
  help: 'From the announcement of a change in its transaction to answering a waiting poll with it.',
  buckets: delivery,
})

export const shardDelay = new Gauge({
  name: 'parley_event_shard_delay_seconds',
  help: 'Age of the record that a shard applied last, when it was applied.',
  labelNames: ['shard'],
})

export const shardBacklog = new Gauge({
  name: 'parley_event_shard_backlog_records',
  help: 'Records of a shard that were received and are not applied yet.',
  labelNames: ['shard'],
})

export const appendDuration = new Histogram({
  name: 'parley_event_append_seconds',
  help: 'Time of the script that applies one batch of the log.',
  buckets: delivery,
})

/** Prometheus sees no increase in what was not there before: whoever is alarmed by the first one counts from 0. */
const fromZero = (counter: Counter<'reason'>, reasons: readonly string[]): Counter<'reason'> => {
  for (const reason of reasons) counter.inc({ reason }, 0)
  return counter
}

export const closedQueues = fromZero(
  new Counter({
    name: 'parley_event_queues_closed_total',
    help: 'Queues that ended, by reason.',
    labelNames: ['reason'],
  }),
  ['idle', 'full', 'deactivated', 'deleted', 'damaged', 'lost', 'unsettled'],
)

/** `repeated`: published again after a crash. `malformed`: not what a relay writes. */
export const skippedRecords = fromZero(
  new Counter({
    name: 'parley_event_records_skipped_total',
    help: 'Records of the log that were not applied, by reason.',
    labelNames: ['reason'],
  }),
  ['repeated', 'malformed'],
)

export const replays = new Counter({
  name: 'parley_event_shard_replays_total',
  help: 'Times that Redis stood elsewhere than the owner thought, and the log was read again from there.',
  labelNames: ['shard'],
})

/** `passed over`: not the next that the shard needs, or the shard was at work; the log brings it a moment later. */
export const advanceNotices = new Counter({
  name: 'parley_event_advance_notices_total',
  help: 'Words of records on their way to the log that a shard of this process got, by what became of them.',
  labelNames: ['outcome'],
})
