/** The few things that clients do with the lists of a state. A list that was not fetched stays away. */
// biome-ignore lint/suspicious/noExplicitAny: objects of every kind.
export type Thing = Record<string, any>
type List = Thing[] | undefined

export const withoutThing = (list: List, key: string, value: unknown): List =>
  list?.filter((thing) => thing[key] !== value)

/** Adds it, or puts it in the place of the one with the same key. */
export const withThing = (list: List, key: string, thing: Thing): List => {
  if (list === undefined) return undefined
  const at = list.findIndex((known) => known[key] === thing[key])
  return at === -1 ? [...list, thing] : list.with(at, thing)
}

/** Changes the thing with this key, when it is there. */
export const changeThing = (list: List, key: string, value: unknown, changes: Thing): void => {
  const thing = list?.find((known) => known[key] === value)
  if (thing !== undefined) Object.assign(thing, changes)
}

export const union = <T>(one: readonly T[], other: readonly T[]): T[] => [...new Set([...one, ...other])]
export const difference = <T>(one: readonly T[], other: readonly T[]): T[] =>
  one.filter((value) => !other.includes(value))
