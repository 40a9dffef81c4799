/** What may be said of a navigation view; no I/O. */

/** Places that every client has. They have names of their own, and are kept only to say whether they are pinned. */
const builtIn = new Set([
  'inbox',
  'recent',
  'feed',
  'drafts',
  'narrow/has/reaction/sender/me',
  'narrow/is/mentioned',
  'narrow/is/starred',
])

/** What is wrong with a view's name, as a sentence; undefined when nothing is. */
export const nameFinding = (
  fragment: string,
  name: string | undefined,
  isNew: boolean,
): string | undefined => {
  if (builtIn.has(fragment)) {
    return name === undefined ? undefined : 'Built-in views cannot have a custom name.'
  }
  return isNew && name === undefined ? 'Custom views must have a valid name.' : undefined
}

export const takenFinding = 'Navigation view already exists.'
