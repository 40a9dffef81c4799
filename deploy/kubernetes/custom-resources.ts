import { z } from 'zod'

/**
 * Schemas of the custom resources that the manifests use, written from the published references of their operators for
 * the fields in use: a field that is not here is refused, so that a misspelt one does not go unnoticed.
 */
const labels = z.record(z.string(), z.string())
const metadata = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/),
  namespace: z.string(),
  labels: labels.optional(),
  annotations: labels.optional(),
})
const matchLabels = z.strictObject({ matchLabels: labels })
const quantity = z.union([z.string().regex(/^\d+(m|Mi|Gi)?$/), z.int()])
const resources = z.strictObject({
  requests: z.strictObject({ cpu: quantity, memory: quantity }),
  limits: z.strictObject({ memory: quantity }),
})
const duration = z.string().regex(/^\d+(ms|s|m|h|d)$/)
const named = z.strictObject({ name: z.string() })
const podSecurity = z.strictObject({
  runAsNonRoot: z.literal(true),
  runAsUser: z.int().optional(),
  runAsGroup: z.int().optional(),
  fsGroup: z.int().optional(),
  seccompProfile: z.strictObject({ type: z.string() }).optional(),
})

const cpuTrigger = z.strictObject({
  type: z.literal('cpu'),
  metricType: z.literal('Utilization'),
  metadata: z.strictObject({ value: z.string().regex(/^\d+$/) }),
})
const prometheusTrigger = z.strictObject({
  type: z.literal('prometheus'),
  metricType: z.literal('AverageValue'),
  metadata: z.strictObject({
    serverAddress: z.url(),
    query: z.string(),
    threshold: z.string().regex(/^\d+$/),
  }),
})

const acl = z.strictObject({
  resource: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.enum(['topic', 'group']),
      name: z.string(),
      patternType: z.enum(['literal', 'prefix']),
    }),
    z.strictObject({ type: z.literal('cluster') }),
  ]),
  operations: z
    .array(z.enum(['Read', 'Write', 'Create', 'Delete', 'Describe', 'DescribeConfigs', 'IdempotentWrite']))
    .min(1),
})

const claim = z.strictObject({
  type: z.literal('persistent-claim'),
  size: quantity,
  deleteClaim: z.boolean(),
})
const rule = z.union([
  z.strictObject({ record: z.string(), expr: z.string() }),
  z.strictObject({
    alert: z.string(),
    expr: z.string(),
    for: duration.optional(),
    labels,
    annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
  }),
])

const specs: Record<string, z.ZodType> = {
  'keda.sh/v1alpha1 ScaledObject': z.strictObject({
    scaleTargetRef: named,
    minReplicaCount: z.int().positive(),
    maxReplicaCount: z.int().positive(),
    advanced: z
      .strictObject({
        horizontalPodAutoscalerConfig: z.strictObject({
          behavior: z.strictObject({
            scaleDown: z.strictObject({
              stabilizationWindowSeconds: z.int().max(3600),
              policies: z.array(
                z.strictObject({
                  type: z.enum(['Percent', 'Pods']),
                  value: z.int().positive(),
                  periodSeconds: z.int().max(1800),
                }),
              ),
            }),
          }),
        }),
      })
      .optional(),
    triggers: z.array(z.discriminatedUnion('type', [cpuTrigger, prometheusTrigger])).min(1),
  }),
  'monitoring.coreos.com/v1 ServiceMonitor': z.strictObject({
    selector: matchLabels,
    endpoints: z.array(
      z.strictObject({ port: z.string(), path: z.string().startsWith('/'), interval: duration }),
    ),
  }),
  'monitoring.coreos.com/v1 PrometheusRule': z.strictObject({
    groups: z.array(
      z.strictObject({ name: z.string(), interval: duration.optional(), rules: z.array(rule).min(1) }),
    ),
  }),
  'kafka.strimzi.io/v1 KafkaTopic': z.strictObject({
    partitions: z.int().positive(),
    replicas: z.int().positive(),
    config: labels,
  }),
  'kafka.strimzi.io/v1 KafkaUser': z.strictObject({
    authentication: z.strictObject({ type: z.literal('scram-sha-512') }),
    authorization: z.strictObject({ type: z.literal('simple'), acls: z.array(acl).min(1) }),
    template: z.strictObject({ secret: z.strictObject({ metadata: z.strictObject({ labels }) }) }),
  }),
  'kafka.strimzi.io/v1 KafkaNodePool': z.strictObject({
    replicas: z.int().positive(),
    roles: z.array(z.enum(['controller', 'broker'])),
    storage: claim,
    resources,
    jvmOptions: z.strictObject({ '-Xms': z.string(), '-Xmx': z.string() }).optional(),
  }),
  'kafka.strimzi.io/v1 Kafka': z.strictObject({
    kafka: z.strictObject({
      version: z.string(),
      metadataVersion: z.string(),
      listeners: z.array(
        z.strictObject({
          name: z.string(),
          port: z.int().min(9092),
          type: z.enum(['internal', 'route', 'loadbalancer', 'nodeport', 'ingress', 'cluster-ip']),
          tls: z.boolean(),
          authentication: z.strictObject({ type: z.literal('scram-sha-512') }),
        }),
      ),
      authorization: z.strictObject({ type: z.literal('simple') }),
      rack: z.strictObject({ topologyKey: z.string() }),
      config: z.record(z.string(), z.union([z.int(), z.boolean(), z.string()])),
      template: z.strictObject({
        pod: z.strictObject({ metadata: z.strictObject({ labels }), securityContext: podSecurity }),
      }),
    }),
    entityOperator: z.strictObject({
      topicOperator: z.strictObject({}),
      userOperator: z.strictObject({ secretPrefix: z.string() }),
    }),
  }),
  'postgresql.cnpg.io/v1 Cluster': z.strictObject({
    instances: z.int().positive(),
    imageName: z.string(),
    minSyncReplicas: z.int(),
    maxSyncReplicas: z.int(),
    inheritedMetadata: z.strictObject({ labels }),
    storage: z.strictObject({ size: quantity }),
    walStorage: z.strictObject({ size: quantity }),
    resources,
    affinity: z.strictObject({
      topologyKey: z.string(),
      podAntiAffinityType: z.enum(['preferred', 'required']),
    }),
    postgresql: z.strictObject({ parameters: labels }),
    managed: z.strictObject({
      roles: z.array(
        z.strictObject({
          name: z.string(),
          ensure: z.literal('present'),
          login: z.boolean(),
          connectionLimit: z.int(),
          passwordSecret: named,
        }),
      ),
    }),
    monitoring: z.strictObject({ enablePodMonitor: z.boolean() }),
  }),
  'postgresql.cnpg.io/v1 Database': z.strictObject({
    cluster: named,
    name: z.string(),
    owner: z.string(),
    databaseReclaimPolicy: z.enum(['retain', 'delete']),
  }),
  'postgresql.cnpg.io/v1 ScheduledBackup': z.strictObject({
    // With seconds: six fields.
    schedule: z.string().regex(/^(\S+ ){5}\S+$/),
    backupOwnerReference: z.enum(['none', 'self', 'cluster']),
    cluster: named,
    method: z.enum(['barmanObjectStore', 'volumeSnapshot', 'plugin']),
  }),
  'minio.min.io/v2 Tenant': z.strictObject({
    requestAutoCert: z.boolean(),
    configuration: named,
    pools: z.array(
      z.strictObject({
        name: z.string(),
        servers: z.int().positive(),
        volumesPerServer: z.int().positive(),
        labels,
        volumeClaimTemplate: z.strictObject({
          metadata: named,
          spec: z.strictObject({
            accessModes: z.array(z.string()),
            resources: z.strictObject({ requests: z.strictObject({ storage: quantity }) }),
          }),
        }),
        resources,
        securityContext: podSecurity,
        containerSecurityContext: podSecurity.extend({
          allowPrivilegeEscalation: z.literal(false),
          capabilities: z.strictObject({ drop: z.array(z.string()) }),
        }),
      }),
    ),
  }),
  'gateway.networking.k8s.io/v1 HTTPRoute': z.strictObject({
    parentRefs: z.array(z.strictObject({ name: z.string(), namespace: z.string() })),
    hostnames: z.array(z.string()),
    rules: z.array(
      z.strictObject({
        matches: z.array(
          z.strictObject({
            path: z.strictObject({
              type: z.enum(['Exact', 'PathPrefix']),
              value: z.string().startsWith('/'),
            }),
          }),
        ),
        backendRefs: z.array(z.strictObject({ name: z.string(), port: z.int() })),
        timeouts: z.strictObject({ request: duration }),
      }),
    ),
  }),
}

/** Schemas of whole resources, by `apiVersion kind`. */
export const customResources: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(specs).map(([name, spec]) => {
    const [apiVersion, kind] = name.split(' ')
    return [
      name,
      z.strictObject({ apiVersion: z.literal(apiVersion!), kind: z.literal(kind!), metadata, spec }),
    ]
  }),
)
