import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * What tells a process from any other that had or will have its pid: when it was started (and since which
 * boot). Undefined when no such process runs; a zombie counts as not running.
 */
export function processIdentity(pid: number): string | undefined {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid)
}

/** Whether the process recorded as `pid` with `identity` is still running. */
export function stillRuns(recorded: { pid: number; identity: string }): boolean {
  return processIdentity(recorded.pid) === recorded.identity
}

function identityFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name (field 2) stands in parentheses and may hold spaces: count from the last ')'.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, startTicks] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined
    return `${bootId()}:${startTicks}`
  } catch {
    return undefined
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
}

function identityFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '')
  } catch {
    return undefined
  }
}
