/** A long list, so many at a time: what asks a database or another service for all of it at once may not be answered in time. */
export function* portions<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let first = 0; first < list.length; first += size) yield list.slice(first, first + size)
}
