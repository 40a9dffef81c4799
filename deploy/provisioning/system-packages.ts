import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, runCommand } from '../machine/commands.ts'
import { isRoot } from '../machine/users.ts'
import { withCacheLock } from './cache.ts'

/** Whether this machine has Debian's package client. */
export async function hasApt(): Promise<boolean> {
  return (await findProgram('apt-get')) !== undefined
}

/** Whether packages can be installed into the system by this process. */
export async function canInstallPackages(): Promise<boolean> {
  return isRoot() && (await hasApt())
}

const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }

/**
 * Installs packages into the system (as root). Downloads can be interrupted; the installation itself, a matter
 * of seconds, always runs to its end, because half of one leaves the system's package database in need of repair.
 */
export async function installPackages(packages: string[], signal: AbortSignal): Promise<void> {
  const apt = (args: string[], stoppedBy?: AbortSignal) =>
    runCommand('apt-get', ['-y', '-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: environment,
      signal: stoppedBy,
    })
  const install = ['install', '--no-install-recommends', ...packages]
  await withCacheLock('apt', signal, async () => {
    try {
      await apt([...install, '--download-only'], signal)
    } catch {
      signal.throwIfAborted()
      await apt(['update'], signal)
      await apt([...install, '--download-only'], signal)
    }
    await apt([...install, '--no-download'])
  })
}

/**
 * Unpacks packages, with those that they need and this system lacks, into `folder` (any user may). Package lists
 * of its own are kept beside the cache, because the system's are root's.
 */
export async function unpackPackages(packages: string[], folder: string, signal: AbortSignal): Promise<void> {
  const state = join(folder, 'apt')
  await mkdir(join(state, 'lists', 'partial'), { recursive: true })
  await mkdir(join(state, 'archives', 'partial'), { recursive: true })
  const own = ['-q', '-o', `Dir::State::Lists=${state}/lists`, '-o', `Dir::Cache=${state}`]
  const unlocked = ['-o', 'Debug::NoLocking=1']
  await runCommand('apt-get', [...own, ...unlocked, 'update'], { env: environment, signal })
  const plan = await runCommand(
    'apt-get',
    [...own, ...unlocked, 'install', '--no-install-recommends', '--simulate', ...packages],
    { env: environment, signal },
  )
  const needed = [...plan.matchAll(/^Inst (\S+)/gm)].map((match) => match[1]!)
  if (needed.length === 0) throw new Error(`${packages.join(' ')}: installed already, and of no use as it is`)
  await runCommand('apt-get', [...own, 'download', ...needed], { cwd: state, env: environment, signal })
  await runCommand('sh', ['-c', `for package in apt/*.deb; do dpkg -x "$package" .; done && rm -r apt`], {
    cwd: folder,
    signal,
  })
}

/**
 * Path of a program that tests use and this system may lack: installed from the system's package when it can be.
 *
 * @throws Error naming the command that would get it.
 */
export async function systemProgram(program: string, fromPackage: string): Promise<string> {
  const found = await findProgram(program)
  if (found !== undefined) return found
  if (!(await canInstallPackages()))
    throw new Error(`${program} is not installed: as root, apt-get install ${fromPackage}`)
  await installPackages([fromPackage], new AbortController().signal)
  const installed = await findProgram(program)
  if (installed === undefined) throw new Error(`the package ${fromPackage} brought no ${program}`)
  return installed
}
