import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { freePorts } from '../machine/ports.ts'
import type { Supervisor } from '../machine/supervisor.ts'
import { systemProgram } from '../provisioning/system-packages.ts'
import type { ServiceReplica } from '../service-replica.ts'

const readyWithin = 60_000
const stopDeadline = 10_000

export interface RunningPrometheus {
  /** Where its own pages are. */
  readonly url: string
  stop(): Promise<void>
}

/** What Prometheus reads: the processes of the stack, each with the labels that the cluster would give them. */
const settings = (replicas: readonly ServiceReplica[]): string =>
  stringify({
    global: { scrape_interval: '5s', evaluation_interval: '5s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [...new Set(replicas.map(({ service }) => service))].map((service) => ({
      job_name: service,
      static_configs: replicas
        .filter((replica) => replica.service === service)
        .map(({ name, opsPort }) => ({
          targets: [`127.0.0.1:${opsPort}`],
          labels: { namespace: 'parley', pod: name },
        })),
    })),
  })

/**
 * Runs a Prometheus (the system's package) that collects the metrics of a stack and evaluates the rules that ship with
 * Parley; resolves when it answers.
 *
 * @throws when there is none and none can be installed, or with the end of its log when it does not get ready.
 */
export const startPrometheus = async (
  supervisor: Supervisor,
  dataDir: string,
  replicas: readonly ServiceReplica[],
): Promise<RunningPrometheus> => {
  const program = await systemProgram('prometheus', 'prometheus')
  const folder = join(dataDir, 'prometheus')
  await mkdir(folder, { recursive: true })
  const rules = parse(await readFile(new URL('rules.yaml', import.meta.url), 'utf8')) as {
    spec: { groups: object[] }
  }
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups: rules.spec.groups }))
  await writeFile(join(folder, 'prometheus.yaml'), settings(replicas))
  const [port] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  supervisor.startNewLog('prometheus')
  const running = supervisor.start(
    { name: 'prometheus', kind: 'observer', port: port! },
    {
      program,
      args: [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        '--storage.tsdb.retention.time=2d',
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      cwd: folder,
      stopSignal: 'SIGTERM',
      stopDeadline,
    },
  )
  for (const until = Date.now() + readyWithin; ; await pause(100)) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (answer?.ok) return { url, stop: () => running.stop() }
    if (!running.running || Date.now() > until) {
      await running.stop()
      throw new Error(`prometheus does not get ready; the end of its log:\n${running.logTail()}`)
    }
  }
}
