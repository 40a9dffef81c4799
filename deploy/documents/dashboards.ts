import { type ServiceName, serviceNames } from '@parley/contracts'
import { enginesOf } from '../service-engines.ts'

interface Panel {
  readonly title: string
  readonly unit: string
  /** PromQL by legend. */
  readonly lines: Record<string, string>
  readonly description?: string
}

const quantile = (q: number, metric: string, by: string, selector = ''): string =>
  `histogram_quantile(${q}, sum by (${by}le) (rate(${metric}_bucket${selector}[$__rate_interval])))`

const requests = (job: string): Panel[] => [
  {
    title: 'Requests by operation',
    unit: 'reqps',
    lines: {
      '{{operation}}': `sum by (operation) (rate(parley_request_duration_seconds_count{job="${job}"}[$__rate_interval]))`,
    },
  },
  {
    title: 'Errors by operation',
    unit: 'reqps',
    lines: {
      '{{operation}} {{status}}': `sum by (operation, status) (rate(parley_request_duration_seconds_count{job="${job}",status=~"5.."}[$__rate_interval]))`,
    },
  },
  {
    title: 'Duration by operation, p99',
    unit: 's',
    lines: {
      '{{operation}}': quantile(0.99, 'parley_request_duration_seconds', 'operation, ', `{job="${job}"}`),
    },
  },
]

const processes = (job: string): Panel[] => [
  {
    title: 'CPU by pod',
    unit: 'short',
    lines: { '{{pod}}': `sum by (pod) (rate(process_cpu_seconds_total{job="${job}"}[$__rate_interval]))` },
  },
  {
    title: 'Memory by pod',
    unit: 'bytes',
    lines: { '{{pod}}': `process_resident_memory_bytes{job="${job}"}` },
  },
  {
    title: 'Event loop delay by pod, p99',
    unit: 's',
    lines: { '{{pod}}': `nodejs_eventloop_lag_p99_seconds{job="${job}"}` },
    description: 'How long the one thread is held at a time; above 0.2 s everything on the pod waits.',
  },
  {
    title: 'Questions to engines without an answer yet',
    unit: 'short',
    lines: {
      '{{engine}}': `max by (engine) (parley_engine_requests_under_way{job="${job}"})`,
      'pool of {{engine}}': `max by (engine) (parley_engine_pool_size{job="${job}"})`,
    },
    description: 'Of the busiest pod. Above the size of the pool, questions wait for a connection.',
  },
]

const outbox = (service: string): Panel[] => [
  {
    title: 'Outbox: oldest announcement',
    unit: 's',
    lines: { age: `max(parley_outbox_oldest_seconds{exported_service="${service}"})` },
  },
  {
    title: 'Outbox: depth',
    unit: 'short',
    lines: { waiting: `max(parley_outbox_depth{exported_service="${service}"})` },
  },
]

const special: Partial<Record<ServiceName, Panel[]>> = {
  gateway: [
    {
      title: 'Requests under way',
      unit: 'short',
      lines: { '{{pod}}': 'parley_gateway_requests_under_way' },
      description: 'A waiting poll is one.',
    },
    {
      title: 'Refused',
      unit: 'reqps',
      lines: {
        '{{status}}':
          'sum by (status) (rate(parley_request_duration_seconds_count{job="gateway",status=~"401|403|429|503"}[$__rate_interval]))',
      },
    },
  ],
  channels: [
    {
      title: 'Messages stored together, p50',
      unit: 'short',
      lines: { batch: quantile(0.5, 'parley_message_batch_size', '') },
      description: 'How many sends share one statement: grows with load, and the cost of each falls.',
    },
  ],
  presence: [
    {
      title: 'Live events lost',
      unit: 'ops',
      lines: { lost: 'sum(rate(parley_live_events_lost_total[$__rate_interval]))' },
    },
  ],
  'event-queue': [
    {
      title: 'Queues by shard',
      unit: 'short',
      lines: { '{{shard}}': 'sum by (shard) (parley_event_queues)' },
    },
    {
      title: 'Waiting polls by pod',
      unit: 'short',
      lines: { '{{pod}}': 'parley_event_polls_waiting' },
    },
    {
      title: 'Queues closed by reason',
      unit: 'ops',
      lines: { '{{reason}}': 'sum by (reason) (rate(parley_event_queues_closed_total[$__rate_interval]))' },
    },
  ],
  'webhook-dispatcher': [
    {
      title: 'Calls by outcome',
      unit: 'ops',
      lines: {
        '{{outcome}}':
          'sum by (outcome) (rate(parley_webhook_call_duration_seconds_count[$__rate_interval]))',
      },
    },
    {
      title: 'First attempt after the message, p99',
      unit: 's',
      lines: { p99: quantile(0.99, 'parley_webhook_first_attempt_seconds', '') },
    },
    {
      title: 'Deliveries pending, and how late the oldest is',
      unit: 'short',
      lines: { pending: 'max(parley_webhook_pending)', 'late (s)': 'max(parley_webhook_late_seconds)' },
    },
    {
      title: 'Calls under way',
      unit: 'short',
      lines: { '{{pod}}': 'parley_webhook_calls_under_way' },
    },
  ],
}

const delivery: Panel[] = [
  {
    title: 'Commit to client',
    unit: 's',
    lines: {
      p50: quantile(0.5, 'parley_event_commit_to_answer_seconds', ''),
      p99: quantile(0.99, 'parley_event_commit_to_answer_seconds', ''),
    },
  },
  {
    title: 'Redis to client',
    unit: 's',
    lines: {
      p50: quantile(0.5, 'parley_event_append_to_answer_seconds', ''),
      p99: quantile(0.99, 'parley_event_append_to_answer_seconds', ''),
    },
  },
  {
    title: 'Applying a batch, p99',
    unit: 's',
    lines: { p99: quantile(0.99, 'parley_event_append_seconds', '') },
  },
  {
    title: 'Delay by shard',
    unit: 's',
    lines: { '{{shard}}': 'max by (shard) (parley_event_shard_delay_seconds)' },
  },
  {
    title: 'Backlog by shard',
    unit: 'short',
    lines: { '{{shard}}': 'max by (shard) (parley_event_shard_backlog_records)' },
  },
  {
    title: 'Shards read again',
    unit: 'ops',
    lines: { '{{shard}}': 'sum by (shard) (rate(parley_event_shard_replays_total[$__rate_interval]))' },
  },
  {
    title: 'Records passed over',
    unit: 'ops',
    lines: { '{{reason}}': 'sum by (reason) (rate(parley_event_records_skipped_total[$__rate_interval]))' },
  },
  { title: 'Waiting polls', unit: 'short', lines: { polls: 'sum(parley_event_polls_waiting)' } },
]

const kafka: Panel[] = [
  {
    title: 'Published',
    unit: 'ops',
    lines: { '{{job}}': 'sum by (job) (rate(parley_outbox_published_total[$__rate_interval]))' },
  },
  {
    title: 'Commit to Kafka, p99',
    unit: 's',
    lines: { '{{job}}': quantile(0.99, 'parley_outbox_age_seconds', 'job, ') },
  },
  {
    title: 'Outbox: oldest announcement',
    unit: 's',
    lines: { '{{exported_service}}': 'max by (exported_service) (parley_outbox_oldest_seconds)' },
  },
  {
    title: 'Outbox: depth',
    unit: 'short',
    lines: { '{{exported_service}}': 'max by (exported_service) (parley_outbox_depth)' },
  },
  {
    title: 'Consumer lag',
    unit: 'short',
    lines: { '{{consumer}} {{topic}}': 'sum by (consumer, topic) (parley_consumer_lag_records)' },
  },
  {
    title: 'Consumed',
    unit: 'ops',
    lines: { '{{consumer}}': 'sum by (consumer) (rate(parley_consumed_records_total[$__rate_interval]))' },
  },
  {
    title: 'Storing what records do, p99 by consumer and topic',
    unit: 's',
    lines: { '{{consumer}} {{topic}}': quantile(0.99, 'parley_consume_seconds', 'consumer, topic, ') },
  },
  {
    title: 'Portions that failed, and are tried again',
    unit: 'short',
    lines: {
      '{{consumer}} {{topic}}':
        'sum by (consumer, topic) (rate(parley_consume_seconds_count{outcome="failed"}[$__rate_interval]))',
    },
  },
  {
    title: 'Dead letters',
    unit: 'ops',
    lines: {
      '{{consumer}} {{topic}}':
        'sum by (consumer, topic) (rate(parley_dead_letters_total[$__rate_interval]))',
    },
  },
  {
    title: 'Consumers that began anew',
    unit: 'ops',
    lines: {
      '{{consumer}} {{reason}}':
        'sum by (consumer, reason) (rate(parley_consumer_reconnections_total[$__rate_interval]))',
    },
  },
]

const objectives: Panel[] = (
  [
    ['api', 'API availability', 0.9995],
    ['delivery', 'Delivery within 1 s', 0.99],
    ['register', 'Register within 2 s', 0.99],
    ['webhook', 'First webhook attempt within 5 s', 0.99],
  ] as const
).map(([key, title, objective]) => ({
  title: `${title} (objective ${objective * 100} %)`,
  unit: 'percentunit',
  lines: {
    'last hour': `1 - slo:${key}_bad:ratio_rate1h`,
    'last 6 hours': `1 - slo:${key}_bad:ratio_rate6h`,
    objective: `vector(${objective})`,
  },
}))

const overview: Panel[] = [
  ...objectives,
  {
    title: 'Requests at the door',
    unit: 'reqps',
    lines: {
      '{{status}}':
        'sum by (status) (rate(parley_request_duration_seconds_count{job="gateway"}[$__rate_interval]))',
    },
  },
  {
    title: 'Commit to client, p99',
    unit: 's',
    lines: { p99: 'parley_event_commit_to_answer_seconds:p99_5m' },
  },
  {
    title: 'Pods that answer',
    unit: 'short',
    lines: { '{{job}}': `sum by (job) (up{job=~"${serviceNames.join('|')}"})` },
  },
]

/** Three panels in a row of Grafana's 24 columns. */
const columns = 3
const height = 8

const dashboard = (uid: string, title: string, panels: readonly Panel[]): string =>
  `${JSON.stringify(
    {
      uid: `parley-${uid}`,
      title: `Parley: ${title}`,
      tags: ['parley'],
      schemaVersion: 39,
      time: { from: 'now-3h', to: 'now' },
      refresh: '30s',
      templating: {
        list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }],
      },
      panels: panels.map((panel, index) => ({
        id: index + 1,
        type: 'timeseries',
        title: panel.title,
        ...(panel.description === undefined ? {} : { description: panel.description }),
        datasource: { type: 'prometheus', uid: `\${datasource}` },
        gridPos: {
          h: height,
          w: 24 / columns,
          x: (index % columns) * (24 / columns),
          y: Math.floor(index / columns) * height,
        },
        fieldConfig: { defaults: { unit: panel.unit, min: 0, custom: { fillOpacity: 5 } }, overrides: [] },
        targets: Object.entries(panel.lines).map(([legendFormat, expr], line) => ({
          refId: String.fromCharCode(65 + line),
          expr,
          legendFormat,
        })),
      })),
    },
    null,
    2,
  )}\n`

/** Grafana dashboards by file name: the overview by objectives, delivery, Kafka, and one per service. */
export const dashboards = (): Record<string, string> => ({
  overview: dashboard('overview', 'overview', overview),
  'event-delivery': dashboard('event-delivery', 'event delivery', delivery),
  'kafka-and-outbox': dashboard('kafka-and-outbox', 'Kafka and outbox', kafka),
  ...Object.fromEntries(
    serviceNames.map((service) => [
      service,
      dashboard(service, service, [
        ...(special[service] ?? []),
        ...requests(service),
        ...(enginesOf(service).includes('postgres') ? outbox(service) : []),
        ...processes(service),
      ]),
    ]),
  ),
})
