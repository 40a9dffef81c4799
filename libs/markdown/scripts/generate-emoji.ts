/**
 * Writes src/emoji-data.json: every emoji of the package emoji-datasource that is not a skin tone, by code, with
 * its names. Names that users of the API are used to (scripts/conventional-emoji-names.json) come first and take
 * a name from whichever emoji the package gives it to.
 *
 * Run: node libs/markdown/scripts/generate-emoji.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface SourceEmoji {
  name: string
  unified: string
  short_names: string[]
}

const here = import.meta.dirname
const require = createRequire(import.meta.url)
const source = require('emoji-datasource') as SourceEmoji[]
const conventional = JSON.parse(readFileSync(`${here}/conventional-emoji-names.json`, 'utf8')) as Record<
  string,
  string
>

const SKIN_TONE = /^1f3f[b-f]$/
const VALID_NAME = /^[\p{L}\p{N}_+-]+$/u

/** Lower-case hexadecimal code points joined by `-`, without the variation selector. */
function codeOf(unified: string): string {
  return unified
    .toLowerCase()
    .split('-')
    .filter((point) => point !== 'fe0f')
    .join('-')
}

const namesByCode = new Map(Object.entries(conventional).map(([code, names]) => [code, names.split(' ')]))
const taken = new Set([...namesByCode.values()].flat())
const known = new Set<string>()

for (const emoji of source) {
  const code = codeOf(emoji.unified)
  if (SKIN_TONE.test(code)) continue
  known.add(code)
  const names = namesByCode.get(code) ?? []
  for (const name of emoji.short_names) {
    if (!taken.has(name) && VALID_NAME.test(name)) names.push(name)
    taken.add(name)
  }
  if (names.length === 0) {
    const slug = emoji.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '')
    if (slug === '' || taken.has(slug))
      throw new Error(`${code} has no name of its own: add one to the conventional names`)
    taken.add(slug)
    names.push(slug)
  }
  namesByCode.set(code, names)
}

for (const code of Object.keys(conventional)) if (!known.has(code)) throw new Error(`${code} is no emoji`)

const data = Object.fromEntries(
  [...namesByCode].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, names]) => [code, names.join(' ')]),
)
writeFileSync(`${here}/../src/emoji-data.json`, `${JSON.stringify(data, null, 2)}\n`)
