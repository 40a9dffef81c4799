/** When the data of an organization may be deleted; no I/O. */

/** In days; null for no bound. */
export interface DeletionBounds {
  readonly min: number | null
  readonly max: number | null
}

/** Where there is no bound: a thousand years, which every calendar has. Who means never says null. */
const longest = 365_000

/** What is known of a demo organization. */
export interface Demo {
  readonly hasOwnerEmail: boolean
  /** Until it is deleted anyway. */
  readonly daysLeft: number
}

const tooLate = (most: number): string => `Data deletion time must be at most ${most} days in the future.`
const wrongForDemo = 'Invalid data deletion time for demo organization.'

const demoFinding = (days: number | null | undefined, demo: Demo): string | undefined => {
  if (days === undefined || days === null) return wrongForDemo
  if (!demo.hasOwnerEmail) {
    return days === 0 ? undefined : wrongForDemo
  }
  return days < 0 || days > demo.daysLeft ? wrongForDemo : undefined
}

/** What is wrong with a time for the deletion, as a sentence for the owner; undefined when nothing is. */
export const deletionFinding = (
  days: number | null | undefined,
  { min, max }: DeletionBounds,
  demo?: Demo,
): string | undefined => {
  if (demo !== undefined) return demoFinding(days, demo)
  if (days === undefined || days === null) {
    return max === null ? undefined : tooLate(max)
  }
  if (days === 0 && min === null) return undefined
  const least = Math.max(min ?? 1, 1)
  if (days < least) return `Data deletion time must be at least ${least} days in the future.`
  const most = max ?? longest
  return days > most ? tooLate(most) : undefined
}
