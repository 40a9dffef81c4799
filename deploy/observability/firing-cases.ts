/**
 * For each alert: series that make it fire and series of a day when all is well, in promtool's notation
 * (`0+6x40`: begins at 0, grows by 6 a minute, 40 times), and the labels that it then has besides its own.
 */
export interface FiringCase {
  /** When it is looked at; 30m unless said. */
  at?: string
  series: Record<string, readonly [bad: string, well: string]>
  labels?: Record<string, string>
}

const requests = (status: string, job = 'gateway', operation = 'sendMessage') =>
  `parley_request_duration_seconds_count{job="${job}",operation="${operation}",status="${status}"}`

/** Half of what happens is bad, or none of it. (Ratios over days can be judged from hours.) */
const burns = (
  all: string,
  good: string,
  isComplement: boolean,
): Record<'Fast' | 'Slow' | 'Steady', FiringCase> => {
  const series = (steps: number) => ({
    [all]: [`0+100x${steps}`, `0+100x${steps}`] as const,
    [good]: isComplement
      ? ([`0+50x${steps}`, `0+100x${steps}`] as const)
      : ([`0+50x${steps}`, `0x${steps}`] as const),
  })
  return {
    Fast: { at: '70m', series: series(80) },
    Slow: { at: '7h', series: series(50) },
    Steady: { at: '7h', series: series(50) },
  }
}

const named = <T>(prefix: string, cases: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(cases).map(([name, value]) => [`${prefix}BudgetBurns${name}`, value]))

const event = 'parley_event_commit_to_answer_seconds'
const register = 'job="event-queue",operation="registerQueue"'
const first = 'parley_webhook_first_attempt_seconds'

export const firing: Record<string, FiringCase> = {
  ...named('Api', burns(requests('200'), requests('500'), false)),
  ...named('Delivery', burns(`${event}_count`, `${event}_bucket{le="1"}`, true)),
  ...named(
    'Register',
    burns(
      `parley_request_duration_seconds_count{${register}}`,
      `parley_request_duration_seconds_bucket{${register},le="2"}`,
      true,
    ),
  ),
  ...named('Webhook', burns(`${first}_count`, `${first}_bucket{le="5"}`, true)),
  ServiceDown: {
    series: { 'up{job="channels",instance="a"}': ['0x40', '1x40'] },
    labels: { job: 'channels' },
  },
  PodsMissing: {
    series: {
      'kube_deployment_status_replicas_unavailable{namespace="parley",deployment="channels"}': [
        '1x40',
        '0x40',
      ],
    },
    labels: { namespace: 'parley', deployment: 'channels' },
  },
  PodRestarts: {
    series: {
      'kube_pod_container_status_restarts_total{namespace="parley",pod="channels-1"}': ['0+1x40', '2x40'],
    },
    labels: { namespace: 'parley', pod: 'channels-1' },
  },
  MemoryNearLimit: {
    series: {
      'container_memory_working_set_bytes{namespace="parley",container="service",pod="p"}': [
        '95x40',
        '60x40',
      ],
      'kube_pod_container_resource_limits{namespace="parley",container="service",resource="memory",pod="p"}':
        ['100x40', '100x40'],
    },
    labels: { pod: 'p' },
  },
  EventLoopBlocked: {
    series: { 'nodejs_eventloop_lag_p99_seconds{job="gateway",instance="a"}': ['0.5x40', '0.02x40'] },
    labels: { job: 'gateway', instance: 'a' },
  },
  ScalerAtLimit: {
    at: '40m',
    series: {
      'kube_horizontalpodautoscaler_status_current_replicas{namespace="parley",horizontalpodautoscaler="h"}':
        ['8x50', '3x50'],
      'kube_horizontalpodautoscaler_spec_max_replicas{namespace="parley",horizontalpodautoscaler="h"}': [
        '8x50',
        '8x50',
      ],
    },
    labels: { namespace: 'parley', horizontalpodautoscaler: 'h' },
  },
  MigrationFailed: {
    series: {
      'kube_job_status_failed{namespace="parley",job_name="migrate-channels"}': ['2x40', '2x40'],
      'kube_job_status_succeeded{namespace="parley",job_name="migrate-channels"}': ['0x40', '1x40'],
    },
    labels: { namespace: 'parley', job_name: 'migrate-channels' },
  },
  OutboxNotDraining: {
    series: { 'parley_outbox_oldest_seconds{exported_service="channels"}': ['30x40', '0.1x40'] },
    labels: { exported_service: 'channels' },
  },
  OutboxDeep: {
    series: { 'parley_outbox_depth{exported_service="channels"}': ['90000x40', '12x40'] },
    labels: { exported_service: 'channels' },
  },
  ConsumerLags: {
    series: {
      'parley_consumer_lag_records{consumer="channels.users",topic="identity.users",pod="a"}': [
        '6000x40',
        '3x40',
      ],
      'parley_consumer_lag_records{consumer="channels.users",topic="identity.users",pod="b"}': [
        '6000x40',
        '3x40',
      ],
    },
    labels: { consumer: 'channels.users', topic: 'identity.users' },
  },
  ConsumerReconnects: {
    series: {
      'parley_consumer_reconnections_total{consumer="channels.users",reason="crash"}': ['0+1x40', '1x40'],
    },
    labels: { consumer: 'channels.users' },
  },
  DeadLetters: {
    series: {
      'parley_dead_letters_total{consumer="channels.users",topic="identity.users"}': [
        // A process that is new, and began with them.
        '_x25 3x15',
        '5x40',
      ],
    },
    labels: { consumer: 'channels.users', topic: 'identity.users' },
  },
  RealmPurgeStalls: {
    series: { parley_realm_purge_oldest_seconds: ['30000x40', '0x40'] },
    labels: {},
  },
  ShardBehind: {
    series: { 'parley_event_shard_delay_seconds{shard="3"}': ['9x40', '0.01x40'] },
    labels: { shard: '3' },
  },
  ShardBacklog: {
    series: { 'parley_event_shard_backlog_records{shard="3"}': ['9000x40', '0x40'] },
    labels: { shard: '3' },
  },
  ShardReplays: {
    series: { 'parley_event_shard_replays_total{shard="3"}': ['0+1x40', '2x40'] },
    labels: { shard: '3' },
  },
  ShardOwnedTwice: {
    series: {
      'parley_event_queues{shard="3",pod="a"}': ['10x40', '10x40'],
      'parley_event_queues{shard="3",pod="b"}': ['10x40', '_x40'],
    },
    labels: { shard: '3' },
  },
  QueuesLost: {
    series: { 'parley_event_queues_closed_total{reason="lost"}': ['0+5x40', '7x40'] },
    labels: { reason: 'lost' },
  },
  QueuesFull: { series: { 'parley_event_queues_closed_total{reason="full"}': ['0+60x40', '0+1x40'] } },
  MalformedRecords: {
    series: { 'parley_event_records_skipped_total{reason="malformed"}': ['0+1x40', '0x40'] },
  },
  GatewaySheds: {
    series: { [requests('503')]: ['0+60x40', '0x40'], [requests('200')]: ['0+600x40', '0+600x40'] },
  },
  ManyRateLimited: {
    series: { [requests('429')]: ['0+600x40', '0+6x40'], [requests('200')]: ['0+600x40', '0+600x40'] },
  },
  LogInsFail: {
    series: { [requests('401', 'gateway', 'fetchApiKey')]: ['0+900x40', '0+6x40'] },
  },
  WebhooksLate: { series: { parley_webhook_late_seconds: ['120x40', '0x40'] } },
  WebhookBacklog: { series: { parley_webhook_pending: ['90000x40', '4x40'] } },
  WebhooksMostlyFail: {
    at: '50m',
    series: {
      'parley_webhook_call_duration_seconds_count{outcome="timeout"}': ['0+60x60', '0+1x60'],
      'parley_webhook_call_duration_seconds_count{outcome="2xx"}': ['0+6x60', '0+60x60'],
    },
  },
  LiveEventsLost: { series: { 'parley_live_events_lost_total{kind="presence"}': ['0+120x40', '0+1x40'] } },
  ReplicationLags: {
    series: { 'cnpg_pg_replication_lag{namespace="parley",pod="postgres-2"}': ['60x40', '0x40'] },
    labels: { pod: 'postgres-2' },
  },
  VolumeFillsUp: {
    at: '3h',
    series: {
      'kubelet_volume_stats_available_bytes{namespace="parley",persistentvolumeclaim="redis"}': [
        '1000000-1000x200',
        '1000000x200',
      ],
    },
    labels: { namespace: 'parley', persistentvolumeclaim: 'redis' },
  },
}
