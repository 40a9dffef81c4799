/** What a reminder says; no I/O. */
import { limits, refuse } from '@parley/contracts'
import { codePoints } from '@parley/contracts/objects/values'
import { truncated } from '../messages/text-length.ts'

/** @throws ApiError BAD_REQUEST when it is too long. */
export const reminderNote = (sent: string | undefined): string => {
  const note = (sent ?? '').toWellFormed().trim()
  if (codePoints(note) > limits.maxReminderNoteLength) {
    throw refuse('BAD_REQUEST', `Maximum reminder note length: ${limits.maxReminderNoteLength} characters`)
  }
  return note
}

/** A message that somebody is reminded of, as its reader sees it. */
export interface Target {
  readonly sender: { readonly id: number; readonly full_name: string }
  readonly url: string
  /** Markdown that names the place: a link to it, or the people of the conversation. */
  readonly place: string
  readonly content: string
}

const introduction = (note: string): string =>
  note === ''
    ? 'You asked to be reminded of this message.'
    : `You asked to be reminded of this message. Your note:\n${note.replace(/^/gm, '> ')}`

/** The reminder, with the message quoted as far as there is room; `undefined` stands for one that is hidden by now. */
export const reminderText = (target: Target | undefined, note: string): string => {
  if (target === undefined) return `${introduction(note)}\n\nIt is not there for you to read any more.`
  const { sender, url, place, content } = target
  const said = `@_**${sender.full_name}|${sender.id}** [said](${url}) ${place}:`
  const head = `${introduction(note)}\n\n${said}\n`
  const fence = unusedFence(content)
  const room = limits.maxMessageLength - codePoints(head) - 2 * fence.length - 'quote\n\n'.length
  return `${head}${fence}quote\n${truncated(content, room)}\n${fence}`
}

/** A fence longer than any in the text, so that the text cannot end the quote. */
const unusedFence = (text: string): string => {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length))
  return '`'.repeat(longest + 1)
}
