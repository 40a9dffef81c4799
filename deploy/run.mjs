/**
 * Runs a script of this checkout by the Node that the lockfile pins, and installs what is missing first. The only
 * file of the house that is not TypeScript: it runs on any Node >= 20, in a clone where nothing is installed yet.
 *
 *     node deploy/run.mjs <script> [argument...]
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pinnedNode = join(root, 'node_modules', 'node', 'bin', 'node')

/** Whether node_modules lacks a package of the lockfile, or has another version of it. */
function mustInstall() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages
  if (!existsSync(pinnedNode) || !existsSync(join(root, 'node_modules/.package-lock.json'))) return true
  const installed = read('node_modules/.package-lock.json')
  return Object.entries(read('package-lock.json')).some(([path, wanted]) => {
    // Packages for other platforms are optional; workspaces are linked, not installed.
    if (!path.startsWith('node_modules/') || wanted.optional || wanted.devOptional || wanted.peer)
      return false
    const here = installed[path]
    return wanted.link ? !here?.link : here?.version !== wanted.version
  })
}

function install() {
  console.error('Installing packages (npm ci) ...')
  const began = Date.now()
  const soFar = () => `${Math.round((Date.now() - began) / 1000)} s`
  const timer = setInterval(() => console.error(`Installing packages ... ${soFar()} so far`), 10_000)
  return new Promise((done, failed) => {
    // Below errors npm has only remarks about the Node that runs it here, which is not the one that runs Parley.
    const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    })
    npm.once('error', failed)
    npm.once('exit', (code, signal) => {
      clearInterval(timer)
      if (code === 0) console.error(`Installed packages in ${soFar()}`)
      if (code === 0) done()
      else failed(new Error(`npm ci ended with ${signal ?? `exit code ${code}`}`))
    })
  })
}

/** Of several commands started at once in a fresh clone, one installs and the others wait for it. */
async function installOnce() {
  const lock = join(root, '.parley', 'install.lock')
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!runs(Number(readLock(lock)))) rmSync(lock, { force: true })
    await new Promise((done) => setTimeout(done, 500))
  }
  try {
    if (mustInstall()) await install()
  } finally {
    rmSync(lock, { force: true })
  }
}

function readLock(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function runs(pid) {
  try {
    return pid === 0 || process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Ctrl-C reaches the script by itself (same terminal); what is sent to this process only is passed on. */
function runByPinnedNode(script, args) {
  const env = { ...process.env, PARLEY_ENDS_WITH_PARENT: '1' }
  const child = spawn(pinnedNode, [script, ...args], { stdio: 'inherit', env })
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('exit', (code) => process.exit(code ?? 1))
}

const [path, ...args] = process.argv.slice(2)
if (path === undefined) {
  console.error('usage: node deploy/run.mjs <script> [argument...]')
  process.exit(2)
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Node ${process.versions.node} is too old: Parley needs Node 20 or newer to start with`)
  process.exit(1)
}
try {
  if (mustInstall()) await installOnce()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const script = resolve(root, path)
if (realpathSync(process.execPath) === realpathSync(pinnedNode)) {
  process.argv.splice(1, process.argv.length, script, ...args)
  await import(pathToFileURL(script).href)
} else {
  runByPinnedNode(script, args)
}
