import { parseArgs } from 'node:util'
import { type EngineName, engineNames } from './engines/engine.ts'
import { startEngines } from './engines/start-engines.ts'

/**
 * Runs the engines without the services, prints their addresses as lines for an environment, and stays until it
 * is ended by Ctrl-C or SIGTERM. Progress goes to standard error.
 *
 *     node deploy/engines-only.ts --data /tmp/x [--engine postgres --engine redis]
 */
const { values } = parseArgs({
  options: { data: { type: 'string' }, engine: { type: 'string', multiple: true } },
})
if (values.data === undefined) {
  console.error('usage: node deploy/engines-only.ts --data FOLDER [--engine postgres|redis|kafka|minio]...')
  process.exit(2)
}
const names = (values.engine ?? engineNames).filter((name): name is EngineName =>
  engineNames.includes(name as EngineName),
)
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
try {
  const running = await startEngines({
    dataDir: values.data,
    engines: names,
    log: console.error,
    signal: ending.signal,
  })
  for (const [name, value] of Object.entries(running.addresses)) console.log(`${name}=${value}`)
  await new Promise((resolve) => {
    if (ending.signal.aborted) resolve(undefined)
    ending.signal.addEventListener('abort', resolve)
    // Pending promises alone do not keep a process alive.
    setInterval(() => {}, 60_000).ref()
  })
  await running.stop()
  process.exit(0)
} catch (error) {
  if (ending.signal.aborted) process.exit(130)
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
