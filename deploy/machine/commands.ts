import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { User } from './users.ts'

/** A command that ended with a failure; the message holds the command and the end of what it said. */
class CommandFailed extends Error {
  constructor(command: string, reason: string, output: string) {
    super(`${command}: ${reason}${output === '' ? '' : `\n${lastLines(output, 15)}`}`)
    this.name = 'CommandFailed'
  }
}

export interface CommandOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  user?: User | undefined
  /** Ends the command and everything that it started. */
  signal?: AbortSignal | undefined
}

/**
 * Runs a command to its end and returns what it wrote to its standard output. It runs in a process group of its
 * own: the terminal's Ctrl-C does not reach it, `signal` does (with SIGTERM to the whole group).
 */
export function runCommand(program: string, args: string[], options: CommandOptions = {}): Promise<string> {
  const { signal } = options
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...options.user,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const command = [program, ...args].join(' ')
    let stdout = ''
    let all = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      all += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      all += text
    })
    const end = () => {
      if (child.pid !== undefined) killGroup(child.pid, 'SIGTERM')
    }
    signal?.addEventListener('abort', end, { once: true })
    child.once('error', (error) => {
      signal?.removeEventListener('abort', end)
      reject(new CommandFailed(command, error.message, ''))
    })
    child.once('close', (code, killedBy) => {
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else if (code === 0) resolve(stdout)
      else reject(new CommandFailed(command, killedBy ? `killed by ${killedBy}` : `exit code ${code}`, all))
    })
  })
}

/** The standard output of a command, or undefined when it cannot be run or fails. */
export async function outputOf(program: string, args: string[]): Promise<string | undefined> {
  try {
    return await runCommand(program, args)
  } catch {
    return undefined
  }
}

/** The path of a program found on PATH or in one of `alsoIn`. */
export async function findProgram(name: string, alsoIn: readonly string[] = []): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...alsoIn]
  for (const folder of folders) {
    if (folder === '') continue
    const path = join(folder, name)
    try {
      await access(path, constants.X_OK)
      return path
    } catch {}
  }
  return undefined
}

/** Signals a process group, or does nothing when it has ended. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
