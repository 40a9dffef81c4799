import type { Ask } from '@parley/kit'

/** The arguments of a command are not what it takes. */
export class UsageError extends Error {}

/** One management command. */
export interface Command {
  /** As typed: `create-realm`. */
  name: string
  /** Its arguments, for the help. */
  usage: string
  /** Its options; all take a value. */
  options: readonly string[]
  /** Runs it and returns what is printed as JSON. Throws UsageError, ApiError, EngineUnavailableError, NoStack. */
  run(ask: Ask, values: Record<string, string | undefined>, env: NodeJS.ProcessEnv): Promise<unknown>
}

/** The value of an option that must be given; the empty text counts (it is the subdomain of the root host). */
export function required(values: Record<string, string | undefined>, name: string): string {
  const value = values[name]
  if (value === undefined) throw new UsageError(`--${name} is missing`)
  return value
}
