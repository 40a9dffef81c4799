import type { ServiceName } from '@parley/contracts'
import { callersOf } from '../documents/kubernetes.ts'
import { databaseVariable, servicesWithDatabase } from '../preparation.ts'
import { enginesOf } from '../service-engines.ts'
import type { Manifest, Overlay } from './rendered.ts'

/** What of an overlay is about one service. */
export interface View {
  readonly overlay: Overlay
  readonly service: ServiceName
  readonly all: readonly Manifest[]
  readonly deployment: Manifest
  readonly pod: Manifest
  readonly container: Manifest
  readonly address: Manifest
  readonly budget: Manifest
  readonly policy: Manifest
  readonly account: Manifest
  readonly scaler: Manifest | undefined
  readonly monitor: Manifest | undefined
}

const find = (all: readonly Manifest[], kind: string, name: string): Manifest =>
  all.find((one) => one.kind === kind && one.metadata.name === name)

export const viewOf = (overlay: Overlay, service: ServiceName, all: readonly Manifest[]): View => {
  const deployment = find(all, 'Deployment', service)
  const pod = deployment.spec.template.spec
  return {
    overlay,
    service,
    all,
    deployment,
    pod,
    container: pod.containers[0],
    address: find(all, 'Service', service),
    budget: find(all, 'PodDisruptionBudget', service),
    policy: find(all, 'NetworkPolicy', service),
    account: find(all, 'ServiceAccount', service),
    scaler: find(all, 'ScaledObject', service),
    monitor: find(all, 'ServiceMonitor', service),
  }
}

/** Bytes of a quantity of memory. */
const bytes = (quantity: string): number => {
  const [, digits, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? []
  return Number(digits) * (unit === 'Gi' ? 1024 ** 3 : 1024 ** 2)
}
const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name)
const variable = ({ container }: View, name: string): Manifest =>
  container.env.find((one: Manifest) => one.name === name)
const settingsOf = ({ all }: View, map: string): Record<string, string> => find(all, 'ConfigMap', map).data
const selects = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value)
const secretsOf = (view: View): string[] =>
  view.container.env.flatMap((one: Manifest) => one.valueFrom?.secretKeyRef?.name ?? [])
const portsTo = ({ policy }: View, matches: (peer: Manifest) => boolean): number[] =>
  policy.spec.egress
    .filter((rule: Manifest) => rule.to.some(matches))
    .flatMap((rule: Manifest) => rule.ports.map((port: Manifest) => port.port))
const toPod =
  (key: string, value: string) =>
  (peer: Manifest): boolean =>
    peer.podSelector?.matchLabels?.[key] === value
const fromPod = ({ policy }: View, port: number): string[] =>
  policy.spec.ingress
    .filter((rule: Manifest) => rule.ports.some((one: Manifest) => one.port === port))
    .flatMap((rule: Manifest) => rule.from)
    .map(
      (peer: Manifest) =>
        peer.podSelector?.matchLabels['app.kubernetes.io/name'] ??
        `namespace ${peer.namespaceSelector.matchLabels['kubernetes.io/metadata.name']}`,
    )
const hasTriggers = (view: View, ...types: string[]): boolean =>
  types.every((type) => view.scaler.spec.triggers.some((trigger: Manifest) => trigger.type === type))
/** Seconds that a pod has from the order to leave until it is killed. */
const shutdownSeconds = (view: View): number => Number(settingsOf(view, 'settings').SHUTDOWN_SECONDS)
const production = ({ overlay }: View): boolean => overlay === 'production'

/** What every workload of a service has to satisfy, in every overlay; each is one sentence. */
export const rules: Record<string, (view: View) => boolean> = {
  'its account has no token': ({ account }) => account.automountServiceAccountToken === false,
  'its pods have no token': ({ pod }) => pod.automountServiceAccountToken === false,
  'it has an account of its own': ({ pod, service }) => pod.serviceAccountName === service,
  'it is not root': ({ pod }) =>
    pod.securityContext.runAsNonRoot === true && pod.securityContext.runAsUser >= 1000,
  'its group is not root': ({ pod }) => pod.securityContext.runAsGroup >= 1000,
  'it has the default seccomp profile': ({ pod }) =>
    pod.securityContext.seccompProfile.type === 'RuntimeDefault',
  'it cannot gain privileges': ({ container }) =>
    container.securityContext.allowPrivilegeEscalation === false,
  'it has no capabilities': ({ container }) =>
    container.securityContext.capabilities.drop.includes('ALL') &&
    container.securityContext.capabilities.add === undefined,
  'its root is read-only': ({ container }) => container.securityContext.readOnlyRootFilesystem === true,
  'it is not privileged': ({ container }) => container.securityContext.privileged !== true,
  'it shares no namespace of its host': ({ pod }) => !pod.hostNetwork && !pod.hostPID && !pod.hostIPC,
  'it mounts nothing of its host': ({ pod }) =>
    pod.volumes.every((volume: Manifest) => volume.hostPath === undefined),
  'it takes no port of its host': ({ container }) =>
    container.ports.every((port: Manifest) => port.hostPort === undefined),
  'its scratch space is bounded': ({ pod }) =>
    pod.volumes.every(
      (volume: Manifest) => volume.emptyDir === undefined || volume.emptyDir.sizeLimit !== undefined,
    ),
  'secrets it mounts are read-only': ({ pod, container }) =>
    pod.volumes
      .filter((volume: Manifest) => volume.secret !== undefined)
      .every(({ name }: Manifest) =>
        container.volumeMounts.some((mount: Manifest) => mount.name === name && mount.readOnly === true),
      ),
  'it is one container': ({ pod }) => pod.containers.length === 1 && pod.initContainers === undefined,
  'it runs its own service': ({ container, service }) =>
    container.command.join(' ') === `node services/${service}/src/main.ts`,
  'its image is not `latest`, and in production a digest': (view) =>
    production(view)
      ? /@sha256:[0-9a-f]{64}$/.test(view.container.image)
      : /:[^:/]+$/.test(view.container.image) && !view.container.image.endsWith(':latest'),
  'it is pulled once': ({ container }) => container.imagePullPolicy === 'IfNotPresent',
  'its memory is what it asks for': ({ container }) =>
    container.resources.requests.memory === container.resources.limits.memory,
  'its heap fits into its memory': ({ container }) => {
    const heap = Number(
      /--max-old-space-size=(\d+)/.exec(
        container.env.find((one: Manifest) => one.name === 'NODE_OPTIONS').value,
      )![1],
    )
    return heap * 1024 ** 2 <= 0.75 * bytes(container.resources.limits.memory)
  },
  'it asks for CPU and is not throttled': ({ container }) =>
    container.resources.requests.cpu !== undefined && container.resources.limits.cpu === undefined,
  'alive means that the process answers': ({ container }) =>
    container.livenessProbe.httpGet.path === '/health' && container.livenessProbe.httpGet.port === 'ops',
  'it is not restarted for a short silence': ({ container }) =>
    container.livenessProbe.periodSeconds * container.livenessProbe.failureThreshold >= 60,
  'ready means that it can serve': ({ container }) =>
    container.readinessProbe.httpGet.path === '/ready' && container.readinessProbe.httpGet.port === 'ops',
  'it has minutes to start': ({ container }) =>
    container.startupProbe.httpGet.path === '/health' &&
    container.startupProbe.periodSeconds * container.startupProbe.failureThreshold >= 300,
  'endpoints forget it before it leaves': ({ container }) => container.lifecycle.preStop.sleep.seconds >= 5,
  'its grace covers a whole shutdown': (view) =>
    view.pod.terminationGracePeriodSeconds >=
    view.container.lifecycle.preStop.sleep.seconds + shutdownSeconds(view) + 5,
  'capacity does not shrink while it is rolled': ({ deployment }) =>
    deployment.spec.strategy.rollingUpdate.maxUnavailable === 0 &&
    deployment.spec.strategy.rollingUpdate.maxSurge >= 1,
  'it has revisions to go back to': ({ deployment }) => deployment.spec.revisionHistoryLimit >= 3,
  'it is spread over zones and hosts': ({ pod }) =>
    ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].every((key) =>
      pod.topologySpreadConstraints.some((one: Manifest) => one.topologyKey === key),
    ),
  'spreading never keeps a pod from running, and looks at its own version only': ({ pod }) =>
    pod.topologySpreadConstraints.every(
      (one: Manifest) =>
        one.whenUnsatisfiable === 'ScheduleAnyway' &&
        one.matchLabelKeys.includes('app.kubernetes.io/name') &&
        one.matchLabelKeys.includes('pod-template-hash'),
    ),
  'it has the labels that all have': ({ deployment, service }) =>
    [deployment.metadata.labels, deployment.spec.template.metadata.labels].every(
      (labels) =>
        labels['app.kubernetes.io/name'] === service &&
        labels['app.kubernetes.io/part-of'] === 'parley' &&
        labels['app.kubernetes.io/component'] === 'service',
    ),
  'it is in its namespace': ({ deployment }) => deployment.metadata.namespace === 'parley',
  'its selector is its name alone, so that labels may change': ({ deployment, service }) =>
    JSON.stringify(deployment.spec.selector.matchLabels) ===
    JSON.stringify({ 'app.kubernetes.io/name': service }),
  'its address selects its pods': ({ address, deployment }) =>
    selects(address.spec.selector, deployment.spec.template.metadata.labels),
  'its address leads to ports that it has': ({ address, container }) =>
    address.spec.ports.every((port: Manifest) => names(container.ports).includes(port.targetPort)),
  'it is not open to the world': ({ address }) =>
    address.spec.type === undefined || address.spec.type === 'ClusterIP',
  'everybody finds it where it listens': (view) =>
    settingsOf(view, 'settings')[`${view.service.toUpperCase().replaceAll('-', '_')}_URL`] ===
      `http://${view.service}:8080` && settingsOf(view, 'settings').PORT === '8080',
  'its budget covers its pods': ({ budget, deployment }) =>
    selects(budget.spec.selector.matchLabels, deployment.spec.template.metadata.labels),
  'its budget lets a drain go on, one pod at a time': ({ budget }) =>
    budget.spec.maxUnavailable === 1 && budget.spec.minAvailable === undefined,
  'a pod that is not ready does not hold up a drain': ({ budget }) =>
    budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow',
  'its network policy covers its pods, both ways': ({ policy, deployment }) =>
    selects(policy.spec.podSelector.matchLabels, deployment.spec.template.metadata.labels) &&
    ['Ingress', 'Egress'].every((type) => policy.spec.policyTypes.includes(type)),
  'nothing is let through that is not named': ({ all }) => {
    const none = find(all, 'NetworkPolicy', 'nothing-unless-said')
    return none.spec.ingress === undefined && none.spec.policyTypes.length === 2
  },
  'requests come from those whom the contracts name': (view) =>
    JSON.stringify(
      fromPod(view, 8080)
        .filter((name) => !name.startsWith('namespace'))
        .sort(),
    ) === JSON.stringify(callersOf(view.service)),
  'only the gateway is reached from outside': (view) =>
    fromPod(view, 8080).includes('namespace ingress') === (view.service === 'gateway'),
  'metrics are read by the monitoring only': (view) =>
    JSON.stringify(fromPod(view, 9090)) === JSON.stringify(['namespace monitoring']),
  'each port that it has is in a rule': (view) =>
    view.container.ports.every(({ containerPort }: Manifest) =>
      view.policy.spec.ingress.some((rule: Manifest) =>
        rule.ports.some((one: Manifest) => one.port === containerPort),
      ),
    ) || callersOf(view.service).length === 0,
  'it reaches those that it asks': (view) =>
    view.all
      .filter(
        (one) =>
          one.kind === 'Deployment' && one.metadata.labels['app.kubernetes.io/component'] === 'service',
      )
      .map((one) => one.metadata.name as ServiceName)
      .every(
        (other) =>
          portsTo(view, toPod('app.kubernetes.io/name', other)).includes(8080) ===
          callersOf(other).includes(view.service),
      ),
  'it reaches its engines and no others': (view) =>
    (['postgres', 'kafka', 'redis', 'object-store'] as const).every(
      (engine) =>
        portsTo(view, toPod('parley/engine', engine)).length > 0 === enginesOf(view.service).includes(engine),
    ),
  'the world outside is not its private networks': ({ policy }) =>
    policy.spec.egress
      .flatMap((rule: Manifest) => rule.to)
      .filter((peer: Manifest) => peer.ipBlock?.cidr === '0.0.0.0/0')
      .every((peer: Manifest) =>
        ['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16'].every((net) => peer.ipBlock.except.includes(net)),
      ),
  'secrets are references': ({ container }) =>
    container.env.every(
      ({ name, value }: Manifest) => !/KEY|PASSWORD|SECRET/.test(name) || value === undefined,
    ),
  'its secrets are its own, or of an engine that it uses': (view) =>
    secretsOf(view).every(
      (name) =>
        name === `kafka-${view.service}` ||
        name.startsWith(`${view.service}-`) ||
        (name === 'redis-access' && enginesOf(view.service).includes('redis')) ||
        (name === 'object-store-access' && enginesOf(view.service).includes('object-store')),
    ),
  'it signs with its own key': (view) =>
    variable(view, 'SIGNING_KEY').valueFrom.secretKeyRef.name === `${view.service}-keys`,
  'it logs in to its own database, or to none': (view) => {
    const url: string | undefined = variable(view, 'DATABASE_URL')?.value
    const own = servicesWithDatabase.some((name) => name === view.service)
    const name = view.service.replaceAll('-', '_')
    return own ? url!.includes(`//${name}:`) && url!.includes(`/${name}?`) : url === undefined
  },
  'its database is migrated by a job of its own': (view) => {
    const service = servicesWithDatabase.find((name) => name === view.service)
    if (service === undefined) return true
    const job = find(view.all, 'Job', `migrate-${service}`)
    const { command, env } = job.spec.template.spec.containers[0]
    return (
      command.join(' ') === `node deploy/prepare.ts ${service}` &&
      env.some((one: Manifest) => one.name === databaseVariable(service))
    )
  },
  'its job is as locked down as it is': (view) => {
    const job = find(view.all, 'Job', `migrate-${view.service}`)
    if (job === undefined) return !servicesWithDatabase.some((name) => name === view.service)
    const { securityContext, automountServiceAccountToken, containers } = job.spec.template.spec
    return (
      automountServiceAccountToken === false &&
      JSON.stringify(securityContext) === JSON.stringify(view.pod.securityContext) &&
      JSON.stringify(containers[0].securityContext) === JSON.stringify(view.container.securityContext)
    )
  },
  'environment variables of other services do not leak in': ({ pod }) => pod.enableServiceLinks === false,
  'it knows where its engines are': ({ container }) =>
    ['settings', 'engines', 'trusted-keys'].every((map) =>
      container.envFrom.some((one: Manifest) => one.configMapRef.name === map),
    ),
  'in production it runs in production mode': (view) =>
    (settingsOf(view, 'settings').MODE === 'production') === production(view),
  'in production it scales between bounds, from two': (view) =>
    !production(view) ||
    (view.scaler.spec.minReplicaCount >= 2 &&
      view.scaler.spec.maxReplicaCount > view.scaler.spec.minReplicaCount),
  'what scales it is what scales it alone': (view) =>
    production(view)
      ? view.scaler.spec.scaleTargetRef.name === view.service && view.deployment.spec.replicas === undefined
      : view.scaler === undefined && view.deployment.spec.replicas === 1,
  'it scales by what it runs out of': (view) =>
    !production(view) ||
    ((view.service === 'webhook-dispatcher' ? hasTriggers(view, 'prometheus') : hasTriggers(view, 'cpu')) &&
      (!['gateway', 'event-queue'].includes(view.service) || hasTriggers(view, 'cpu', 'prometheus'))),
  'a pod that reads a log has something to read': (view) =>
    !production(view) ||
    view.scaler.spec.maxReplicaCount <=
      ({
        'event-queue': Number(settingsOf(view, 'settings').CLIENT_EVENTS_PARTITIONS),
        'webhook-dispatcher': 8,
      }[view.service as string] ?? Number.POSITIVE_INFINITY),
  'pods with polls or uploads go slowly': (view) =>
    !production(view) ||
    !['gateway', 'event-queue', 'uploads'].includes(view.service) ||
    view.scaler.spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds >=
      300,
  'in production its metrics are read': (view) =>
    !production(view) ||
    (selects(view.monitor.spec.selector.matchLabels, view.address.metadata.labels) &&
      view.monitor.spec.endpoints[0].port === 'ops'),
  'in production its logs and traces have somewhere to go': (view) =>
    !production(view) || settingsOf(view, 'settings').OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
  'its namespace takes restricted pods only': ({ all }) =>
    find(all, 'Namespace', 'parley').metadata.labels['pod-security.kubernetes.io/enforce'] === 'restricted',
}
