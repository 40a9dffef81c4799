import data from './emoji-data.json' with { type: 'json' }

/**
 * Unicode emoji by code: lower-case hexadecimal code points joined by `-`, at least four digits each, without
 * the variation selector FE0F and without skin tones. The first name is the canonical one.
 */
export const namesByCode: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(data as Record<string, string>).map(([code, names]) => [code, names.split(' ')]),
)

const codeByName = new Map<string, string>()
for (const [code, names] of namesByCode) for (const name of names) codeByName.set(name, code)

/** The code of a Unicode emoji by any of its names. */
export function emojiByName(name: string): string | undefined {
  return codeByName.get(name)
}

/** What `emoji_api.json` contains: `{ code_to_names: { "1f44d": ["+1", "thumbs_up", ...] } }`. */
export function emojiApiDocument(): { code_to_names: Record<string, readonly string[]> } {
  return { code_to_names: Object.fromEntries(namesByCode) }
}
