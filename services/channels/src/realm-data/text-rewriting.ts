import type { Rewriting, TakingIn } from '@parley/kit/holdings'
import { idOf, shifted } from '@parley/kit/rewritings'

/** Attributes of rendered text that hold an ID, and of what. */
const attributes: Readonly<Record<string, string>> = {
  'data-user-id': 'user',
  'data-user-group-id': 'group',
  'data-stream-id': 'channel',
}

/** A narrow's operator in an address, and the kind of ID that its operand begins with. */
const narrows: Readonly<Record<string, string>> = {
  channel: 'channel',
  stream: 'channel',
  near: 'message',
  with: 'message',
  id: 'message',
  sender: 'user',
}

const texts = (text: string, { realmId, origin, shifts }: TakingIn): string =>
  text
    // Mentions: @**Full Name|12**, @_**Full Name|12**
    .replace(
      /(@_?\*\*[^*\n]*\|)(\d{1,16})(\*\*)/g,
      (_, before, id, after) => `${before}${shifted(shifts, 'user', Number(id))}${after}`,
    )
    .replace(/\b(data-[a-z-]+-id)="(\d{1,16})"/g, (all, name: string, id: string) => {
      const kind = attributes[name]
      return kind === undefined ? all : `${name}="${shifted(shifts, kind, Number(id))}"`
    })
    .replace(/#narrow\/[^\s"'<>)\]]*/g, (address) =>
      address.replace(
        /\/(channel|stream|near|with|id|sender)\/(\d{1,16})/g,
        (_, operator: string, id: string) =>
          `/${operator}/${shifted(shifts, narrows[operator]!, Number(id))}`,
      ),
    )
    .replaceAll(`/user_uploads/${origin.realm_id}/`, `/user_uploads/${realmId}/`)
    .replaceAll(`/user_avatars/${origin.realm_id}/emoji/`, `/user_avatars/${realmId}/emoji/`)

/** What somebody wrote, or what became of it: people, groups, channels, messages and files in it are those of here. */
export const textsOf: Rewriting = (value, context) =>
  typeof value === 'string' ? texts(value, context) : value

const channel = idOf('channel')

export const historyOf: Rewriting = (value, context) =>
  Array.isArray(value)
    ? value.map((entry: Record<string, unknown>) => ({
        ...entry,
        user_id: idOf('user')(entry.user_id, context),
        ...('stream' in entry ? { stream: channel(entry.stream, context) ?? 0 } : {}),
        ...('prev_stream' in entry ? { prev_stream: channel(entry.prev_stream, context) ?? 0 } : {}),
        ...('prev_content' in entry ? { prev_content: textsOf(entry.prev_content, context) } : {}),
        ...('prev_rendered_content' in entry
          ? { prev_rendered_content: textsOf(entry.prev_rendered_content, context) }
          : {}),
      }))
    : value
