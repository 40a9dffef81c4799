import type { LastSeen } from '@parley/contracts/objects/presence'

/** Changes whose text is kept together: when one of them is outdated, the others are put together again. */
const stretchLength = 128

/** A change as it is written into answers. */
export interface Written {
  readonly userId: number
  readonly seen: LastSeen
  /** `"<user>":{...}`, in the modern form. */
  readonly text: string
}

interface Stretch {
  readonly text: string
  /** The longest ago that one of them was there: UNIX seconds. */
  readonly oldest: number
}

/**
 * Texts of stretches of a list that only grows at its end, and of which entries are outdated one by one. Most clients ask
 * for most of the same entries again and again: they are handed on as text, and what did not change is not written anew.
 */
export class PresenceTexts<Change extends Written> {
  readonly #isNewest: (change: Change) => boolean
  #stretches: (Stretch | undefined)[] = []

  /** `isNewest`: whether a change is still what its user is. */
  constructor(isNewest: (change: Change) => boolean) {
    this.#isNewest = isNewest
  }

  /** The entry at this place is outdated. */
  forget(place: number): void {
    this.#stretches[Math.floor(place / stretchLength)] = undefined
  }

  /** Entries stand at other places now. */
  forgetAll(): void {
    this.#stretches = []
  }

  /** One JSON object: those from a place to the end who were there at or after `since` (UNIX seconds). */
  from(list: readonly Change[], first: number, since: number): string {
    const texts: string[] = []
    for (let place = first; place < list.length; ) {
      const end = Math.min((Math.floor(place / stretchLength) + 1) * stretchLength, list.length)
      const text =
        end - place === stretchLength
          ? this.#whole(list, place, since)
          : this.#put(list, place, end, since).text
      if (text !== '') texts.push(text)
      place = end
    }
    return `{${texts.join(',')}}`
  }

  #whole(list: readonly Change[], place: number, since: number): string {
    const at = place / stretchLength
    const end = place + stretchLength
    const kept = this.#stretches[at]
    if (kept !== undefined && kept.oldest >= since) return kept.text
    const put = this.#put(list, place, end, since)
    // One from which somebody is left out who was there too long ago serves nobody who goes further back.
    if (put.isAll) this.#stretches[at] = put
    return put.text
  }

  #put(list: readonly Change[], from: number, end: number, since: number): Stretch & { isAll: boolean } {
    const texts: string[] = []
    let oldest = Number.POSITIVE_INFINITY
    let isAll = true
    for (let place = from; place < end; place += 1) {
      const change = list[place]!
      if (!this.#isNewest(change)) continue
      if (change.seen.connected < since) {
        isAll = false
        continue
      }
      oldest = Math.min(oldest, change.seen.connected)
      texts.push(change.text)
    }
    return { text: texts.join(','), oldest, isAll }
  }
}
