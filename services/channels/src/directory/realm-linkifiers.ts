import { compilePattern, type Linkifier } from '@parley/markdown'
import type { Realm } from './realm-store.ts'

const compiled = new WeakMap<Realm, readonly Linkifier[]>()

/** An organization's linkifiers, compiled once per state of it. */
export const linkifiersOf = (realm: Realm): readonly Linkifier[] => {
  const known = compiled.get(realm)
  if (known !== undefined) return known
  const made = realm.linkifiers.map(({ pattern, url_template }) => ({
    pattern: compilePattern(pattern),
    url_template,
  }))
  compiled.set(realm, made)
  return made
}
