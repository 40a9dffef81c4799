/** What of a message's changes is shown; no I/O. */
import type { EditHistoryEntry } from '@parley/contracts/objects/message'

/** The organization's setting: everything, only where messages were moved, or nothing. */
export type EditHistoryPolicy = 'all' | 'moves' | 'none'

/** Undefined when there is nothing to show. */
export const shownHistory = (
  history: readonly EditHistoryEntry[] | null,
  policy: EditHistoryPolicy,
): EditHistoryEntry[] | undefined => {
  if (history === null || policy === 'none') return undefined
  const shown =
    policy === 'all'
      ? [...history]
      : history
          .filter((entry) => entry.topic !== undefined || entry.stream !== undefined)
          .map(({ prev_content: _, prev_rendered_content: __, ...move }) => move)
  return shown.length === 0 ? undefined : shown
}
