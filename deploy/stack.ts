import { resolve } from 'node:path'
import { type ServiceName, serviceNames } from '@parley/contracts'
import { discardEngineData } from './engines/discard-engine-data.ts'
import type { Addresses, EngineName } from './engines/engine.ts'
import { engines as engineKinds } from './engines/find-engines.ts'
import type { RunningEngine } from './engines/run-engine.ts'
import { type RunningEngines, superviseEngines } from './engines/start-engines.ts'
import { type Keys, stackKeys } from './keys.ts'
import { type Detour, freePorts, isFree } from './machine/ports.ts'
import { type Log, withProgress } from './machine/progress.ts'
import { type Death, Supervisor } from './machine/supervisor.ts'
import { type RunningPrometheus, startPrometheus } from './observability/prometheus.ts'
import { prepareEngines, type ServiceWithDatabase, servicesWithDatabase } from './preparation.ts'
import { Secrets } from './secrets.ts'
import { serviceEnvironment, type Wiring } from './service-environment.ts'
import { ServiceReplica } from './service-replica.ts'

export interface StackOptions {
  /** Folder for data, logs, secrets and state; one stack at a time uses it. */
  dataDir: string
  /** The gateway's port; a free one unless given. */
  ports?: { gateway?: number }
  /** Services to start; all eight unless given. The others can be started later, by restart(). */
  services?: readonly ServiceName[]
  /** How many processes of a service to start; one unless given. */
  replicas?: Partial<Record<ServiceName, number>>
  /**
   * Where engine URLs are looked for, and settings for the services (LOG_LEVEL, RATE_LIMITS, CHECK_REPLIES, ...)
   * are taken from; process.env unless given.
   */
  env?: NodeJS.ProcessEnv
  /** Begins the names of databases, roles and bucket: for stacks that share engines from the environment. */
  prefix?: string
  /** Also runs a Prometheus that watches the services. */
  observe?: boolean
  /** Deletes the data of an earlier run first. */
  fresh?: boolean
  /** Stands between engines and processes of services on one side, and who calls them on the other. */
  detour?: Detour
  log: Log
  /** Ends a start that is under way: it throws, with nothing left running. */
  signal?: AbortSignal
}

/** A running system. */
export interface Stack {
  /** Where the root organization is: `http://localhost:9991`. */
  readonly url: string
  /** What tests and management commands need to know (StackAddress of @parley/testkit). */
  readonly address: { origin: string; host: string; identityUrl: string; manageKey: string }
  /** Of the engines; DATABASE_URL is the administrator's. */
  readonly addresses: Addresses
  /** Each service's own, as the service. */
  readonly databaseUrls: Readonly<Record<ServiceWithDatabase, string>>
  readonly engines: readonly RunningEngine[]
  readonly services: readonly ServiceReplica[]
  readonly logsDir: string
  /** Where Prometheus' pages are, when it was asked for. */
  readonly prometheusUrl: string | undefined
  /** Processes that ended without being asked to. Each is logged with the end of its log, none is restarted. */
  readonly deaths: readonly Death[]
  /** A process of a service; the first unless `number` says another. */
  replica(service: ServiceName, number?: number): ServiceReplica
  /** Ends a process (if it still runs) and starts it again at its place; resolves when it is ready. */
  restart(service: ServiceName, number?: number): Promise<void>
  /** Signals a process; resolves when it has ended (at once after SIGSTOP and SIGCONT). */
  kill(service: ServiceName, signal: NodeJS.Signals, number?: number): Promise<void>
  /** One more process of a service. Those who call it learn of it when they are started the next time. */
  startReplica(service: ServiceName): Promise<ServiceReplica>
  /** Ends an engine cleanly, or by `signal`; resolves when it has ended. */
  stopEngine(name: EngineName, signal?: NodeJS.Signals): Promise<void>
  startEngine(name: EngineName): Promise<void>
  /** Ends everything that was started, gateway first, engines last. `discardData` deletes the data as well. */
  stop(options?: { discardData?: boolean }): Promise<void>
}

/**
 * Brings the whole system up: engines, databases, topics, bucket, keys, services; resolves when every service is
 * ready.
 *
 * @throws EnginesMissing, AlreadyRunning, or an error with the end of the log of what did not start; nothing is
 *   left running then.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { log, env = process.env, signal = new AbortController().signal } = options
  const dataDir = resolve(options.dataDir)
  const deaths: Death[] = []
  let isUp = false
  const supervisor = await Supervisor.open(dataDir, (death) => {
    // What dies while it starts is told by the error of the start.
    if (!isUp) return
    deaths.push(death)
    log(`${death.name} died (${death.reason}); the end of ${supervisor.logFile(death.name)}:\n${death.tail}`)
  })
  const services: ServiceReplica[] = []
  let engines: RunningEngines | undefined
  let prometheus: RunningPrometheus | undefined

  const stop: Stack['stop'] = async ({ discardData: discard = false } = {}) => {
    await prometheus?.stop()
    const isGateway = ({ service }: ServiceReplica) => service === 'gateway'
    await Promise.all(services.filter(isGateway).map((replica) => replica.stop()))
    await Promise.all(services.map((replica) => replica.stop()))
    await engines?.stop()
    if (discard) await discardEngineData(dataDir)
    supervisor.close()
  }

  try {
    if (options.fresh) {
      refuseExternal(env)
      await discardEngineData(dataDir)
    }
    const port = await gatewayPort(options.ports?.gateway)
    const secrets = new Secrets(dataDir)
    engines = await superviseEngines(undefined, env, {
      supervisor,
      secrets,
      log,
      signal,
      detour: options.detour,
    })
    const wiring = wire({
      port,
      prefix: options.prefix ?? 'parley',
      addresses: engines.addresses,
      secrets,
      env,
    })
    await withProgress(log, 'databases, topics and bucket', () => prepare(wiring))
    signal.throwIfAborted()

    const addReplica = async (service: ServiceName): Promise<ServiceReplica> => {
      const number = services.filter((replica) => replica.service === service).length + 1
      const [free, opsPort] = await freePorts(2)
      const place = {
        service,
        number,
        port: service === 'gateway' && number === 1 ? port : free!,
        opsPort: opsPort!,
      }
      const replica = new ServiceReplica(supervisor, place, (ports) =>
        serviceEnvironment(service, ports, wiring),
      )
      services.push(replica)
      const seen = await options.detour?.(replica.name, replica.port)
      wiring.urls[service].push(seen === undefined ? replica.url : `http://127.0.0.1:${seen}`)
      return replica
    }
    // Those that are not started have their place all the same: others are configured with it.
    for (const service of serviceNames) {
      for (let count = options.replicas?.[service] ?? 1; count > 0; count--) await addReplica(service)
    }
    const started = services.filter(({ service }) => options.services?.includes(service) ?? true)
    await withProgress(log, `${started.length} services`, () =>
      Promise.all(started.map((replica) => replica.start(signal))),
    )
    if (options.observe === true) {
      prometheus = await withProgress(log, 'prometheus', () => startPrometheus(supervisor, dataDir, services))
    }
    isUp = true
    const { state } = supervisor.ledger
    const identityUrl = wiring.urls.identity[0] ?? ''
    state.url = wiring.publicUrl
    state.manage = {
      IDENTITY_URL: identityUrl,
      SIGNING_KEY: wiring.keys.signing.manage,
      KAFKA_BROKERS: engines.addresses.KAFKA_BROKERS!,
      S3_ENDPOINT: engines.addresses.S3_ENDPOINT!,
      S3_ACCESS_KEY: engines.addresses.S3_ACCESS_KEY!,
      S3_SECRET_KEY: engines.addresses.S3_SECRET_KEY!,
      S3_REGION: engines.addresses.S3_REGION!,
      S3_BUCKET: wiring.bucket,
    }
    state.ready = true
    supervisor.ledger.save()

    const running = engines.engines
    const replicaOf: Stack['replica'] = (service, number = 1) => {
      const found = services.filter((replica) => replica.service === service)[number - 1]
      if (!found) throw new Error(`there is no process ${number} of ${service}`)
      return found
    }
    const engineNamed = (name: EngineName) => {
      const found = running.find((engine) => engine.name === name)
      if (!found) throw new Error(`this stack has no ${name}`)
      return found
    }
    return {
      url: wiring.publicUrl,
      address: {
        origin: `http://127.0.0.1:${port}`,
        host: `localhost:${port}`,
        identityUrl,
        manageKey: wiring.keys.signing.manage,
      },
      addresses: engines.addresses,
      databaseUrls: wiring.databaseUrls as Record<ServiceWithDatabase, string>,
      engines: running,
      services,
      logsDir: supervisor.logsDir,
      prometheusUrl: prometheus?.url,
      deaths,
      replica: replicaOf,
      restart: async (service, number) => {
        const replica = replicaOf(service, number)
        await replica.stop()
        await replica.start()
      },
      kill: (service, by, number) => replicaOf(service, number).kill(by),
      startReplica: async (service) => {
        const replica = await addReplica(service)
        await replica.start()
        return replica
      },
      stopEngine: (name, by) => engineNamed(name).stop(by),
      startEngine: (name) => engineNamed(name).start(),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function gatewayPort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined) return (await freePorts(1))[0]!
  if (await isFree(wanted)) return wanted
  throw new Error(`port ${wanted} is taken by another process; choose another: PORT=${wanted + 1} npm start`)
}

/** Data of engines that somebody else runs is not this launcher's to delete, and cannot be read without its keys. */
function refuseExternal(env: NodeJS.ProcessEnv): void {
  const external = Object.values(engineKinds).flatMap((engine) => Object.keys(engine.addressesIn(env) ?? {}))
  if (external.length > 0)
    throw new Error(`--fresh does not reach engines from the environment: ${external.join(', ')}`)
}

function wire(from: {
  port: number
  prefix: string
  addresses: Addresses
  secrets: Secrets
  env: NodeJS.ProcessEnv
}): Wiring {
  const { port, prefix, addresses, secrets, env } = from
  const keys: Keys = stackKeys(secrets)
  const databaseUrls = Object.fromEntries(
    servicesWithDatabase.map((service) => {
      const name = `${prefix}_${service.replaceAll('-', '_')}`
      const url = new URL(addresses.DATABASE_URL!)
      url.username = name
      url.password = secrets.get(`database-password-${service}`)
      url.pathname = name
      return [service, url.href]
    }),
  ) as Record<ServiceWithDatabase, string>
  return {
    publicUrl: env.PUBLIC_URL || `http://localhost:${port}`,
    addresses,
    databaseUrls,
    bucket: env.S3_BUCKET || prefix.replaceAll('_', '-'),
    keys,
    urls: Object.fromEntries(serviceNames.map((name) => [name, []])) as unknown as Wiring['urls'],
    settings: env,
  }
}

async function prepare({ addresses, databaseUrls, bucket, settings }: Wiring): Promise<void> {
  await prepareEngines({
    adminUrl: addresses.DATABASE_URL,
    databaseUrls,
    topics: {
      brokers: addresses.KAFKA_BROKERS!.split(','),
      partitions: Number(settings.CLIENT_EVENTS_PARTITIONS || 4),
      replication: Number(settings.KAFKA_REPLICATION || 1),
    },
    bucket: {
      endpoint: addresses.S3_ENDPOINT!,
      accessKey: addresses.S3_ACCESS_KEY!,
      secretKey: addresses.S3_SECRET_KEY!,
      region: addresses.S3_REGION!,
      name: bucket,
    },
  })
}
