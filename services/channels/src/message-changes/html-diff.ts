/** What changed between two renderings of a message, as HTML; no I/O. */

/** A tag, a character reference, a word, space, or any other character. */
const token = /<[^>]*>|&[#\w]{1,12};|[\p{L}\p{N}_]+|\s+|[^<&]|[<&]/gsu

/** Pairs of tokens that are compared, at most, for all changes of one message. */
export interface DiffBudget {
  pairs: number
}

export const diffBudget = (): DiffBudget => ({ pairs: 4_000_000 })

type Step = readonly ['kept' | 'inserted' | 'deleted', string]

const isTag = (one: string): boolean => one.length > 1 && one.startsWith('<')

/**
 * The new HTML with what is new in it marked as `highlight_text_inserted`, and what is not there any more put in as
 * `highlight_text_deleted`. Tags are those of the new one alone, and no mark goes across a tag: so it is as well formed as
 * the new one. Beyond the budget everything between the common beginning and end counts as replaced.
 */
export const htmlDiff = (before: string, after: string, budget: DiffBudget): string => {
  let html = ''
  let run = ''
  let runKind: Step[0] = 'kept'
  const close = (): void => {
    if (run !== '') html += runKind === 'kept' ? run : `<span class="highlight_text_${runKind}">${run}</span>`
    run = ''
  }
  for (const [kind, one] of steps(before.match(token) ?? [], after.match(token) ?? [], budget)) {
    if (isTag(one)) {
      if (kind === 'deleted') continue
      close()
      html += one
      continue
    }
    if (kind !== runKind) close()
    runKind = kind
    run += one
  }
  close()
  return html
}

const steps = (before: readonly string[], after: readonly string[], budget: DiffBudget): Step[] => {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const shorter = Math.min(before.length, after.length) - start
  while (end < shorter && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const kept = (tokens: readonly string[]): Step[] => tokens.map((one) => ['kept', one] as const)
  return [
    ...kept(after.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end), budget),
    ...kept(after.slice(after.length - end)),
  ]
}

/** By the longest common subsequence. */
const middle = (before: readonly string[], after: readonly string[], budget: DiffBudget): Step[] => {
  const rows = before.length
  const columns = after.length
  const deleted = before.map((one) => ['deleted', one] as const)
  const inserted = after.map((one) => ['inserted', one] as const)
  if (rows === 0 || columns === 0 || rows * columns > budget.pairs) return [...deleted, ...inserted]
  budget.pairs -= rows * columns
  const width = columns + 1
  const longest = new Uint32Array((rows + 1) * width)
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const place = row * width + column
      longest[place] =
        before[row] === after[column]
          ? longest[place + width + 1]! + 1
          : Math.max(longest[place + width]!, longest[place + 1]!)
    }
  }
  const found: Step[] = []
  let row = 0
  let column = 0
  while (row < rows && column < columns) {
    const place = row * width + column
    if (before[row] === after[column]) {
      found.push(['kept', after[column]!])
      row += 1
      column += 1
    } else if (longest[place + width]! >= longest[place + 1]!) {
      found.push(deleted[row]!)
      row += 1
    } else {
      found.push(inserted[column]!)
      column += 1
    }
  }
  return [...found, ...deleted.slice(row), ...inserted.slice(column)]
}
