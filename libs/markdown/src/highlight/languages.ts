import { COMPILED } from './compiled-languages.ts'
import { DATA } from './data-languages.ts'
import type { Lexer } from './lexer.ts'
import { SCRIPTING } from './scripting-languages.ts'

/** A language by the name that Pygments and the playgrounds of clients use, and the words that ask for it. */
export interface Language {
  label: string
  names: readonly string[]
  /** Absent for plain text. */
  lexer?: Lexer
}

const byName = new Map<string, Language>()
for (const language of [...COMPILED, ...SCRIPTING, ...DATA]) {
  for (const name of language.names) byName.set(name, language)
}

/** The language that a word after a fence asks for, regardless of case. */
export function languageNamed(name: string): Language | undefined {
  return byName.get(name.toLowerCase())
}

/** Every language that is coloured. */
export function allLanguages(): Language[] {
  return [...new Set(byName.values())]
}
