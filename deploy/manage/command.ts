import type { Ask } from '@parley/kit'
import type { Progress } from './progress.ts'

/** The arguments of a command are not what it takes. */
export class UsageError extends Error {}

/** What was asked for was begun, and did not come to a good end. */
export class CommandFailed extends Error {}

/** One management command. */
export interface Command {
  /** As typed: `create-realm`. */
  name: string
  /** Its arguments, for the help. */
  usage: string
  /** Its options; all take a value. */
  options: readonly string[]
  /** Options that take none; `true` as a text when they are given. */
  flags?: readonly string[]
  /** What stands without an option, if anything has to; its value is `operand`. */
  operand?: string
  /**
   * Runs it and returns what is printed as JSON. Throws UsageError, CommandFailed, NotConfirmed, ApiError,
   * EngineUnavailableError, NoStack.
   */
  run(
    ask: Ask,
    values: Record<string, string | undefined>,
    env: NodeJS.ProcessEnv,
    progress: Progress,
  ): Promise<unknown>
}

/** The value of an option that must be given; the empty text counts (it is the subdomain of the root host). */
export function required(values: Record<string, string | undefined>, name: string): string {
  const value = values[name]
  if (value === undefined) throw new UsageError(`--${name} is missing`)
  return value
}
