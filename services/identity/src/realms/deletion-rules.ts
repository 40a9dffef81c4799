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

const demoFinding = (days: number | null | undefined, demo: Demo): string | undefined => {
  if (days === undefined || days === null) return 'A demo organization needs a time for its deletion.'
  if (!demo.hasOwnerEmail) {
    return days === 0 ? undefined : 'Without an e-mail address a demo organization is deleted immediately.'
  }
  return days < 0 || days > demo.daysLeft
    ? `The data of a demo organization must be deleted within ${demo.daysLeft} days.`
    : undefined
}

/** What is wrong with a time for the deletion, as a sentence for the owner; undefined when nothing is. */
export const deletionFinding = (
  days: number | null | undefined,
  { min, max }: DeletionBounds,
  demo?: Demo,
): string | undefined => {
  if (demo !== undefined) return demoFinding(days, demo)
  if (days === undefined || days === null) {
    return max === null ? undefined : `Data must be deleted at the latest ${max} days from now.`
  }
  if (days === 0 && min === null) return undefined
  const least = Math.max(min ?? 1, 1)
  if (days < least) return `Data can be deleted at the earliest ${least} days from now.`
  const most = max ?? longest
  return days > most ? `Data must be deleted at the latest ${most} days from now.` : undefined
}
