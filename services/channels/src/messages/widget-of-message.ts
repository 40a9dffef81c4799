/** What a message shows besides its text; no I/O. */
import { limits, refuse } from '@parley/contracts'
import { Widget } from '@parley/contracts/objects/widget'

/**
 * The widget that a client gave with a message, as JSON text.
 *
 * @throws ApiError BAD_REQUEST for text that is none.
 */
export const givenWidget = (sent: string | undefined): Widget | undefined => {
  if (sent === undefined) return undefined
  if (sent.length > limits.maxMessageLength) throw refuse('BAD_REQUEST', 'widget_content is too long')
  let data: unknown
  try {
    data = JSON.parse(sent)
  } catch {
    throw refuse('BAD_REQUEST', 'widget_content is not valid JSON')
  }
  const read = Widget.safeParse(data)
  if (!read.success) {
    const [issue] = read.error.issues
    throw refuse('BAD_REQUEST', `widget_content is invalid: ${issue!.path.join('.')} ${issue!.message}`)
  }
  return read.data
}

const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
/** The mark of a list before an option, or a task. */
const bullet = /^\s*[-*]?\s*/

/** The widget that a text begins with by name: `/poll question` or `/todo title`, and an option or a task per line. */
export const namedWidget = (content: string): Widget | undefined => {
  const [, name, rest] = /^\/(poll|todo)(?!\S)(.*)$/s.exec(content) ?? []
  if (name === undefined || rest === undefined) return undefined
  const [first = '', ...lines] = rest.split(lineEnd)
  const heading = first.trim()
  const items = lines.map((line) => line.trim().replace(bullet, '')).filter((item) => item !== '')
  if (name === 'poll') return { widget_type: 'poll', extra_data: { question: heading, options: items } }
  const tasks = items.map((item) => {
    const split = item.indexOf(': ')
    return split < 0
      ? { task: item, desc: '' }
      : { task: item.slice(0, split).trim(), desc: item.slice(split + 2).trim() }
  })
  return { widget_type: 'todo', extra_data: { task_list_title: heading, tasks } }
}
