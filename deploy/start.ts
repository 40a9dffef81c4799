import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startDataDir } from './checkout.ts'
import { prepareDemo } from './demo.ts'
import { startStack } from './stack.ts'

const usage = `npm start [-- --detach] [--fresh] [--observe]
  --detach   returns once the server answers; end it with: npm stop
  --fresh    starts with empty data
  --observe  with a Prometheus that collects metrics and evaluates the alerts
  PORT       (environment) port of the gateway, 9991 unless set`

/** What a launcher in the background tells the one that waits for it. */
type Told = { line: string } | { ready: string }

const options = readOptions()
if (options.detach && !options.background) await startInBackground()
else await startHere()

function readOptions() {
  try {
    return parseArgs({
      options: {
        detach: { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
        observe: { type: 'boolean', default: false },
        background: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`)
    process.exit(2)
  }
}

/** Runs the stack until Ctrl-C, SIGTERM or `npm stop`. */
async function startHere(): Promise<void> {
  if (options.help) {
    console.log(usage)
    return
  }
  const ending = endRequests()
  const tell = (told: Told) => {
    console.log('line' in told ? told.line : told.ready)
    if (process.connected) process.send?.(told)
  }
  const log = (line: string) => tell({ line })
  try {
    const began = Date.now()
    const stack = await startStack({
      dataDir: startDataDir,
      ports: { gateway: Number(process.env.PORT || 9991) },
      fresh: options.fresh,
      observe: options.observe,
      log,
      signal: ending.signal,
    })
    try {
      const { origin, identityUrl, manageKey } = stack.address
      const env = { IDENTITY_URL: identityUrl, SIGNING_KEY: manageKey }
      const demo = await prepareDemo({ url: stack.url, origin, env })
      const ways = [
        ...(stack.prometheusUrl === undefined ? [] : [`Metrics and alerts: ${stack.prometheusUrl}`]),
        `Logs: ${stack.logsDir}    State: npm run status    End: Ctrl-C, or npm stop`,
      ].join('\n')
      tell({ ready: `\n${demo}\n\n${ways}\nStarted in ${Math.round((Date.now() - began) / 1000)} s.` })
      process.channel?.unref()
      await ended(ending.signal)
      log('Stopping ...')
    } finally {
      await stack.stop()
    }
    log('Stopped.')
    process.exit(0)
  } catch (error) {
    if (ending.signal.aborted) {
      log('Stopped.')
      process.exit(130)
    }
    log(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}

/** Aborted by the first request to end. A second one ends the launcher at once; its guardian ends the rest. */
function endRequests(): AbortController {
  const ending = new AbortController()
  let first = 0
  const request = () => {
    if (first === 0) first = Date.now()
    // npm passes on the Ctrl-C that the terminal has sent here already: that is not a second request.
    else if (Date.now() - first > 1_000) process.exit(1)
    ending.abort(new Error('ended on request'))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request)
  if (!options.background && (process.env.npm_lifecycle_event || process.env.PARLEY_ENDS_WITH_PARENT)) {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && !ending.signal.aborted && request(), 500).unref()
  }
  return ending
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  // A pending promise alone does not keep a process alive.
  const alive = setInterval(() => {}, 60_000)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  clearInterval(alive)
}

/** Starts this script again in the background and shows its progress until it is ready. */
async function startInBackground(): Promise<void> {
  const logs = join(startDataDir, 'logs')
  mkdirSync(logs, { recursive: true })
  const path = join(logs, 'launcher.log')
  if (existsSync(path)) renameSync(path, join(logs, 'launcher.previous.log'))
  const log = openSync(path, 'w')
  const args = [
    fileURLToPath(import.meta.url),
    '--background',
    ...(['fresh', 'observe'] as const).filter((name) => options[name]).map((name) => `--${name}`),
  ]
  const launcher = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log, 'ipc'] })
  const stop = () => launcher.kill('SIGTERM')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  launcher.on('message', (told: Told) => {
    console.log('line' in told ? told.line : told.ready)
    if ('ready' in told) process.exit(0)
  })
  const code = await new Promise<number>((resolve) => {
    launcher.once('error', () => resolve(1))
    launcher.once('exit', (exitCode) => resolve(exitCode ?? 1))
  })
  process.exit(code)
}
