import { RE2JS } from 're2js'
import type { LinkifierMatch, Matcher } from './context.ts'

/** An organization's pattern, run by an engine whose time grows with the text only, whatever the pattern is. */
export interface LinkifierPattern extends Matcher {
  /** Names of its groups. */
  readonly names: readonly string[]
  /** What the named groups cover when the whole text matches; undefined when it does not. */
  matchWhole(text: string): Readonly<Record<string, string | undefined>> | undefined
}

/** A longer program takes too much time for each character of a text. */
const maxProgramSize = 2000

/**
 * Compiles a pattern in the syntax of RE2: groups are named by `(?P<name>...)`, and there are no look-arounds and no back
 * references. Throws a SyntaxError that says what is not valid.
 */
export function compilePattern(pattern: string): LinkifierPattern {
  const compiled = compile(pattern)
  const names = Object.keys(compiled.namedGroups())
  const groupsOf = (matcher: { group(name: string): string | null }) =>
    Object.fromEntries(names.map((name) => [name, matcher.group(name) ?? undefined]))
  return {
    names,
    *matchAll(text): Generator<LinkifierMatch> {
      const matcher = compiled.matcher(text)
      while (matcher.find()) {
        yield { index: matcher.start(), text: matcher.group() ?? '', groups: groupsOf(matcher) }
      }
    },
    matchWhole(text) {
      const matcher = compiled.matcher(text)
      return matcher.matches() ? groupsOf(matcher) : undefined
    },
  }
}

function compile(pattern: string): RE2JS {
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern)
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : 'Bad regular expression')
  }
  if (compiled.programSize() > maxProgramSize) throw new SyntaxError('the regular expression is too large')
  return compiled
}
