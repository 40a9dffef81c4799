import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findProgram, outputOf, runCommand } from '../machine/commands.ts'
import { cached, cachedOrBuilt } from '../provisioning/cache.ts'
import { canInstallPackages, installPackages } from '../provisioning/system-packages.ts'
import { atLeast, type Engine, type EngineRun, type Installation } from './engine.ts'
import { firstAnswer } from './probe.ts'

const minimum = '4.0'
const kafkaVersion = '4.1.1'
const loggingVersion = '2.24.3'
const minimumJava = 17
const cacheName = `kafka-${kafkaVersion}`

export const kafka: Engine = {
  name: 'kafka',
  portCount: 2,

  addressesIn(env) {
    return env.KAFKA_BROKERS ? { KAFKA_BROKERS: env.KAFKA_BROKERS } : undefined
  },

  async installed() {
    if ((await java()) === undefined) return undefined
    const script = await findProgram('kafka-server-start.sh', ['/opt/kafka/bin'])
    const homes = [process.env.KAFKA_HOME, script && dirname(dirname(script))]
    for (const home of homes) {
      const installation = home ? await installationIn(join(home, 'libs'), 'installed') : undefined
      if (installation) return installation
    }
    const folder = await cached(cacheName)
    return folder === undefined ? undefined : await installationIn(join(folder, 'libs'), 'cache')
  },

  async provisioning() {
    const lacking = [
      ...((await java()) === undefined ? ['default-jre-headless'] : []),
      ...((await findProgram('mvn')) === undefined ? ['maven'] : []),
    ]
    if (lacking.length > 0 && !(await canInstallPackages())) {
      const install =
        process.platform === 'darwin' ? 'brew install openjdk maven' : `apt-get install ${lacking.join(' ')}`
      return {
        reason: `it needs Java >= ${minimumJava} and Maven to be got with`,
        fix: `${install} (as root)`,
      }
    }
    const packages = lacking.length > 0 ? `apt-get install ${lacking.join(' ')}, then ` : ''
    return {
      how: `${packages}mvn dependency:copy-dependencies org.apache.kafka:kafka_2.13:${kafkaVersion}`,
      async provision(signal) {
        if (lacking.length > 0) await installPackages(lacking, signal)
        const folder = await cachedOrBuilt(cacheName, signal, (building) => copyLibraries(building, signal))
        const installation = await installationIn(join(folder, 'libs'), 'provisioned')
        if (!installation) throw new Error(`${folder} holds no Kafka: delete it and start again`)
        return installation
      },
    }
  },

  async prepare(run) {
    const folder = join(run.dataDir, 'kafka')
    const settings = join(folder, 'server.properties')
    await mkdir(folder, { recursive: true })
    await writeFile(settings, serverProperties(run, join(folder, 'log')))
    await writeFile(join(folder, 'log4j2.properties'), logging)
    const program = await java()
    if (program === undefined) throw new Error(`no Java >= ${minimumJava} is installed`)
    const classpath = ['-cp', join(run.installation.folder, '*')]
    await format(run, program, classpath, folder, settings)
    return {
      program,
      args: [
        '-Xms256m',
        '-Xmx384m',
        // One broker for one machine: a concurrent collector costs more than it saves.
        '-XX:+UseSerialGC',
        '-Djava.awt.headless=true',
        `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`,
        ...classpath,
        'kafka.Kafka',
        settings,
      ],
      cwd: folder,
      stopSignal: 'SIGTERM',
      stopDeadline: 20_000,
    }
  },

  addresses(run) {
    return { KAFKA_BROKERS: `127.0.0.1:${run.clientPort}` }
  },

  async healthy(addresses) {
    const brokers = addresses.KAFKA_BROKERS!.split(',')
    const known = await Promise.all(brokers.map(brokersKnownBy))
    return known.some((count) => count > 0)
  },
}

async function java(): Promise<string | undefined> {
  const home = process.env.JAVA_HOME
  const program = home ? join(home, 'bin', 'java') : await findProgram('java')
  const version = program && (await outputOf(program, ['--version']))?.match(/(\d+)/)?.[1]
  return version && Number(version) >= minimumJava ? program : undefined
}

async function installationIn(
  libraries: string,
  from: Installation['from'],
): Promise<Installation | undefined> {
  const names = await readdir(libraries).catch(() => [])
  const version = names.map((name) => name.match(/^kafka_2\.\d+-(\d+\.\d+\.\d+)\.jar$/)?.[1]).find(Boolean)
  return version && atLeast(version, minimum) ? { from, folder: libraries, version } : undefined
}

async function copyLibraries(folder: string, signal: AbortSignal): Promise<void> {
  const dependency = (group: string, artifact: string, version: string) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  const project = [
    '<project xmlns="http://maven.apache.org/POM/4.0.0">',
    '<modelVersion>4.0.0</modelVersion>',
    '<groupId>parley</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>',
    '<dependencies>',
    dependency('org.apache.kafka', 'kafka_2.13', kafkaVersion),
    dependency('org.apache.logging.log4j', 'log4j-slf4j-impl', loggingVersion),
    '</dependencies>',
    '</project>',
  ]
  await writeFile(join(folder, 'pom.xml'), project.join('\n'))
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}/libs`]
  await runCommand('mvn', ['-B', '-q', '-ntp', ...goal], { cwd: folder, signal })
}

/** Writes the identity of a new cluster into the data folder, once. */
async function format(
  run: EngineRun,
  program: string,
  classpath: string[],
  folder: string,
  settings: string,
): Promise<void> {
  const formatted = join(folder, 'formatted')
  if (
    await readFile(formatted).then(
      () => true,
      () => false,
    )
  )
    return
  await rm(join(folder, 'log'), { recursive: true, force: true })
  const id = randomBytes(16).toString('base64url')
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx128m']
  // In one word: an ID may begin with a hyphen, which would be taken for another option.
  const tool = ['kafka.tools.StorageTool', 'format', `--cluster-id=${id}`, '--config', settings]
  await runCommand(program, [...quick, ...classpath, ...tool], { cwd: folder, signal: run.signal })
  await writeFile(formatted, `${id}\n`)
}

/** One node that is broker and controller, sized for a machine that it shares with everything else. */
function serverProperties(run: EngineRun, logFolder: string): string {
  const [clients, controller] = run.ports
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `CLIENTS://127.0.0.1:${clients},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `CLIENTS://127.0.0.1:${run.clientPort}`,
    'listener.security.protocol.map': 'CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'CLIENTS',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': logFolder,
    // Topics are declared in @parley/contracts and made by @parley/bus, with their own settings.
    'auto.create.topics.enable': false,
    'num.partitions': 1,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    // A group of one consumer need not wait for others.
    'group.initial.rebalance.delay.ms': 0,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'background.threads': 2,
    // The default, 128 MiB, is a third of the heap.
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
    'controlled.shutdown.max.retries': 1,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

const logging = `rootLogger.level=INFO
rootLogger.appenderRef.stdout.ref=stdout
appender.stdout.type=Console
appender.stdout.name=stdout
appender.stdout.layout.type=PatternLayout
appender.stdout.layout.pattern=%d{ISO8601} %p %m (%c)%n
logger.config.name=org.apache.kafka.common.config
logger.config.level=WARN
`

/** How many brokers the cluster has according to the one at `address`; 0 when it does not answer. */
async function brokersKnownBy(address: string): Promise<number> {
  const [host, port] = [
    address.slice(0, address.lastIndexOf(':')),
    address.slice(address.lastIndexOf(':') + 1),
  ]
  const answer = await firstAnswer(host, Number(port), metadataRequest(), 16)
  // size, correlation id, throttle time, number of brokers: 32 bits each
  return answer?.readInt32BE(12) ?? 0
}

/** https://kafka.apache.org/protocol.html: Metadata, version 4, of no topic. */
function metadataRequest(): Buffer {
  const client = Buffer.from('parley-launcher')
  const request = Buffer.alloc(4 + 2 + 2 + 4 + 2 + client.length + 4 + 1)
  let at = request.writeInt32BE(request.length - 4, 0)
  at = request.writeInt16BE(3, at)
  at = request.writeInt16BE(4, at)
  at = request.writeInt32BE(1, at)
  at = request.writeInt16BE(client.length, at)
  at += client.copy(request, at)
  at = request.writeInt32BE(0, at)
  request.writeInt8(0, at)
  return request
}
