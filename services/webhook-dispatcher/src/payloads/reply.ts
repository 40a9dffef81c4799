/** What a receiver's answer asks for; no I/O. */
import { slackInterface } from './payload.ts'
import { fromSlack } from './slack-text.ts'

export type Reply =
  | { readonly kind: 'nothing' }
  /** `widget`: JSON text, as the parameter `widget_content` of POST /messages. */
  | { readonly kind: 'text'; readonly content: string; readonly widget?: string }
  /** `complaint` is a sentence for the conversation and the bot's owner. */
  | { readonly kind: 'unreadable'; readonly complaint: string }

const nothing: Reply = { kind: 'nothing' }

/** Without the character that no message can have. */
const asText = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '')

/** A text worth posting, from a value of any type, with the widget that it shows. */
const text = (value: unknown, widget?: unknown): Reply => {
  const content = asText(value)
  if (content === undefined || content.trim() === '') return nothing
  const shown = asText(widget)
  return { kind: 'text', content, ...(shown === undefined ? {} : { widget: shown }) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads the body of a 2xx answer, as JSON whatever its content type says. An empty body, and the empty text that old
 * receivers send as JSON, have nothing to say. `response_string` is the older name of `content` and wins over it, as
 * receivers that send both expect.
 */
export const readReply = (form: number, answer: { body: string; isWhole: boolean }): Reply => {
  if (!answer.isWhole) return { kind: 'unreadable', complaint: 'The response is too long' }
  if (answer.body.trim() === '') return nothing
  let value: unknown
  try {
    value = JSON.parse(answer.body)
  } catch {
    return { kind: 'unreadable', complaint: 'Invalid JSON in response' }
  }
  if (value === '' || value === null) return nothing
  if (!isObject(value)) return { kind: 'unreadable', complaint: 'Invalid response format' }
  if (form === slackInterface) {
    return text(typeof value.text === 'string' ? fromSlack(value.text) : value.text)
  }
  if (value.response_not_required === true) return nothing
  return 'response_string' in value ? text(value.response_string) : text(value.content, value.widget_content)
}
