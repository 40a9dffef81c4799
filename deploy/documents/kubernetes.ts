import { clientEventsTopic } from '@parley/bus'
import { deadLettersTopic } from '@parley/bus/dead-letters'
import { replaysTopic } from '@parley/bus/replays'
import { everyTopic, topicPlans } from '@parley/bus/topics'
import { type AnyEndpoint, contracts, type Issuer, type ServiceName, serviceNames } from '@parley/contracts'
import { stringify } from 'yaml'
import { type EngineKind, enginesOf } from '../service-engines.ts'

/** Where an engine's pods listen. Whoever brings an engine labels its pods `parley/engine: <kind>`. */
const enginePorts: Record<EngineKind, number> = {
  postgres: 5432,
  kafka: 9093,
  redis: 6379,
  'object-store': 9000,
}

/** What a service may reach outside the cluster: receivers, mail servers, a directory. */
const outside: Partial<Record<ServiceName, readonly { port: number; endPort?: number }[]>> = {
  'webhook-dispatcher': [{ port: 80 }, { port: 443 }, { port: 1024, endPort: 65535 }],
  invitations: [{ port: 25 }, { port: 465 }, { port: 587 }],
  identity: [{ port: 389 }, { port: 636 }],
}

/** Not public: clouds' metadata, pods, services, and whatever else is nobody's business (RFC 6890). */
const privateNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
]

/** Who sends requests to whom: the gateway to owners of endpoints, and the askers of internal questions. */
export const callersOf = (service: ServiceName): Issuer[] => {
  const { endpoints, internals, sections } = contracts[service]
  const callers = new Set<Issuer>()
  if (service !== 'gateway' && Object.keys(endpoints as Record<string, AnyEndpoint>).length > 0)
    callers.add('gateway')
  for (const { callers: askers } of Object.values(
    internals as Record<string, { callers: readonly Issuer[] }>,
  ))
    for (const asker of askers) callers.add(asker)
  if (Object.keys(sections).length > 0) callers.add('event-queue')
  callers.delete(service)
  return [...callers].sort()
}

const named = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } })
const tcp = (port: number, endPort?: number) => ({
  protocol: 'TCP',
  port,
  ...(endPort === undefined ? {} : { endPort }),
})
const namespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
})

const policyOf = (service: ServiceName) => {
  const called = serviceNames.filter((other) => callersOf(other).includes(service))
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: service },
    spec: {
      podSelector: named(service),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        ...(service === 'gateway' ? [{ from: [namespace('ingress')], ports: [tcp(8080)] }] : []),
        ...(callersOf(service).length === 0
          ? []
          : [
              {
                from: callersOf(service).map((caller) => ({ podSelector: named(caller) })),
                ports: [tcp(8080)],
              },
            ]),
        { from: [namespace('monitoring')], ports: [tcp(9090)] },
      ],
      egress: [
        ...called.map((other) => ({ to: [{ podSelector: named(other) }], ports: [tcp(8080)] })),
        ...enginesOf(service).map(engineRule),
        { to: [{ podSelector: named('otel-collector') }], ports: [tcp(4318)] },
        ...(outside[service] === undefined
          ? []
          : [
              {
                to: [
                  { ipBlock: { cidr: '0.0.0.0/0', except: privateNetworks } },
                  { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
                ],
                ports: outside[service].map(({ port, endPort }) => tcp(port, endPort)),
              },
            ]),
      ],
    },
  }
}

const engineRule = (engine: EngineKind) => ({
  to: [{ podSelector: { matchLabels: { 'parley/engine': engine } } }],
  ports: [tcp(enginePorts[engine])],
})

const denied = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'nothing-unless-said' },
  spec: {
    podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'parley' } },
    policyTypes: ['Ingress', 'Egress'],
    // Names have to be found.
    egress: [
      {
        to: [{ ...namespace('kube-system'), podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
        ports: [{ protocol: 'UDP', port: 53 }, tcp(53)],
      },
    ],
  },
}

/** Preparation jobs reach engines; management jobs reach the services that answer them. */
const jobs = [
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'preparation' },
    spec: {
      podSelector: { matchLabels: { 'app.kubernetes.io/component': 'preparation' } },
      policyTypes: ['Ingress', 'Egress'],
      egress: (['postgres', 'kafka', 'object-store'] as const).map(engineRule),
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'manage' },
    spec: {
      podSelector: named('manage'),
      policyTypes: ['Ingress', 'Egress'],
      egress: serviceNames
        .filter((service) => callersOf(service).includes('manage'))
        .map((service): object => ({ to: [{ podSelector: named(service) }], ports: [tcp(8080)] }))
        // Dead letters are read and replayed from there, archives stored and fetched.
        .concat(engineRule('kafka'), engineRule('object-store')),
    },
  },
]

/** One document after the other; anchors would hide what a reader of a policy looks for. */
const manifests = (head: string, documents: readonly object[]): string =>
  [
    `# ${head}`,
    '# Generated from libs/contracts by `npm run documents`; do not edit.',
    documents
      .map((document) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 }))
      .join('---\n'),
  ].join('\n')

export const networkPolicies = (): string =>
  manifests('Who may talk to whom: nobody, except as follows.', [
    denied,
    ...serviceNames.map(policyOf),
    ...jobs,
  ])

const strimzi = 'kafka.strimzi.io/v1'
const inCluster = { 'strimzi.io/cluster': 'kafka' }

/** The topics for the operator, as `prepare topics` would make them. */
export const kafkaTopics = (): string =>
  manifests(
    'Topics. Other partition counts re-map keys: drained migrations (libs/bus/src/topics.ts).',
    topicPlans(32).map(({ topic, numPartitions, configEntries }) => ({
      apiVersion: strimzi,
      kind: 'KafkaTopic',
      metadata: { name: topic, labels: inCluster },
      spec: {
        partitions: numPartitions,
        replicas: 3,
        config: {
          ...Object.fromEntries([...configEntries, ...everyTopic].map(({ name, value }) => [name, value])),
          'min.insync.replicas': '2',
        },
      },
    })),
  )

type Operation = 'Read' | 'Write' | 'Create' | 'Delete' | 'Describe' | 'DescribeConfigs' | 'IdempotentWrite'
const onTopic = (name: string, ...operations: Operation[]) => ({
  resource: { type: 'topic', name, patternType: 'literal' },
  operations,
})
const onGroups = (prefix: string) => ({
  resource: { type: 'group', name: prefix, patternType: 'prefix' },
  // Groups of those who read everything for memory are theirs to delete.
  operations: ['Read', 'Describe', 'Delete'] satisfies Operation[],
})
const onCluster = (...operations: Operation[]) => ({ resource: { type: 'cluster' }, operations })

const userOf = (name: string, acls: readonly object[]) => ({
  apiVersion: strimzi,
  kind: 'KafkaUser',
  metadata: { name, labels: inCluster },
  spec: {
    authentication: { type: 'scram-sha-512' },
    authorization: { type: 'simple', acls },
    template: { secret: { metadata: { labels: { 'parley/access': 'kafka' } } } },
  },
})

/** Each service writes what its contract says it writes, reads what it follows, and has its own groups. */
const serviceUser = (service: ServiceName) => {
  const { writes, follows } = contracts[service]
  const readsClientEvents = service === 'event-queue'
  const keepsWhatItReads = enginesOf(service).includes('postgres') && follows.length > 0
  return userOf(service, [
    ...writes.map(({ name }) => onTopic(name, 'Write', 'Describe')),
    ...follows.map(({ name }) => onTopic(name, 'Read', 'Describe')),
    readsClientEvents
      ? onTopic(clientEventsTopic, 'Read', 'Describe')
      : onTopic(clientEventsTopic, 'Write', 'Describe'),
    ...(keepsWhatItReads
      ? [onTopic(deadLettersTopic, 'Write', 'Describe'), onTopic(replaysTopic, 'Read', 'Describe')]
      : []),
    onGroups(`${service}.`),
    onCluster('IdempotentWrite'),
  ])
}

export const kafkaUsers = (): string =>
  manifests('Who may do what in Kafka.', [
    ...serviceNames.map(serviceUser),
    userOf('manage', [
      onTopic(deadLettersTopic, 'Read', 'Describe'),
      onTopic(replaysTopic, 'Write', 'Describe'),
      onGroups(`${deadLettersTopic}.replay.`),
      onCluster('IdempotentWrite'),
    ]),
    userOf('preparation', [
      {
        resource: { type: 'topic', name: '*', patternType: 'literal' },
        operations: ['Create', 'Describe', 'DescribeConfigs'],
      },
      onCluster('Describe'),
    ]),
  ])
