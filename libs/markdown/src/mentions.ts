import type { StateInline } from 'markdown-it'
import type { MentionUser, Wildcard } from './context.ts'
import type { RenderEnvironment } from './environment.ts'
import type { ChatInlineState } from './inline-state.ts'
import { element, type Node } from './nodes.ts'

/** `@**name**`, `@**name|7**`, `@**|7**`, silent with `@_`. Names contain no `*`. */
export const USER_MENTION = /@(_?)\*\*([^*\n]{1,200})\*\*/y
/** `@*group*`, silent with `@_`. */
export const GROUP_MENTION = /@(_?)\*([^*\n]{1,200})\*(?!\*)/y
const WITH_ID = /^(.*)\|(\d{1,15})$/s
/** A mention within a word, such as an address, is text. */
const BEFORE_MENTION = /[\p{L}\p{N}_]/u

const WILDCARDS: Readonly<Record<string, Wildcard>> = {
  all: 'channel',
  everyone: 'channel',
  channel: 'channel',
  stream: 'channel',
  topic: 'topic',
}

/** What people read instead of the names of system groups. */
const SYSTEM_GROUPS: Readonly<Record<string, string>> = {
  'role:owners': 'Owners',
  'role:administrators': 'Administrators',
  'role:moderators': 'Moderators',
  'role:fullmembers': 'Full members',
  'role:members': 'Members',
  'role:everyone': 'Everyone including guests',
  'role:internet': 'Everyone on the internet',
  'role:nobody': 'Nobody',
}

/** The wildcard that a mentioned name is, if it is one. */
export function wildcardNamed(name: string): Wildcard | undefined {
  return Object.hasOwn(WILDCARDS, name) ? WILDCARDS[name] : undefined
}

/** A mentioned name in its parts: `name|7` is a user by name and id. */
export function splitMention(text: string): { name: string; id: number | undefined } {
  const match = WITH_ID.exec(text)
  return match === null ? { name: text, id: undefined } : { name: match[1]!, id: Number(match[2]) }
}

/** Mentions of users, groups and wildcards. A name that nobody has is text. */
export function mentionRule(inline: StateInline): boolean {
  const state = inline as ChatInlineState
  const start = state.pos
  if (state.src.charCodeAt(start) !== 0x40) return false
  if (start > 0 && BEFORE_MENTION.test(state.src[start - 1]!)) return false
  for (const [pattern, build] of [
    [USER_MENTION, userMention],
    [GROUP_MENTION, groupMention],
  ] as const) {
    pattern.lastIndex = start
    const match = pattern.exec(state.src)
    if (match === null || start + match[0].length > state.posMax) continue
    const isSilent = match[1] === '_' || state.environment.quoteDepth > 0
    const node = build(match[2]!, isSilent, state.environment)
    if (node === undefined) return false
    state.pushNode(node)
    state.pos = start + match[0].length
    return true
  }
  return false
}

function userMention(text: string, isSilent: boolean, environment: RenderEnvironment): Node | undefined {
  const wildcard = wildcardNamed(text)
  if (wildcard !== undefined) return wildcardMention(text, wildcard, isSilent, environment)
  const user = mentionedUser(text, environment)
  if (user === undefined) return undefined
  if (!isSilent) environment.mentionedUsers.add(user.id)
  return element('span', { class: `user-mention${silent(isSilent)}`, 'data-user-id': String(user.id) }, [
    `${isSilent ? '' : '@'}${user.full_name}`,
  ])
}

/** The name and the id must be of the same user; of several users with one name the first given is meant. */
function mentionedUser(text: string, environment: RenderEnvironment): MentionUser | undefined {
  const { users } = environment.context
  const { name, id } = splitMention(text)
  if (id !== undefined) {
    const user = users.byId(id)
    if (user !== undefined && (name === '' || user.full_name.toLowerCase() === name.toLowerCase()))
      return user
  }
  return users.byName(text)[0]
}

function wildcardMention(
  name: string,
  wildcard: Wildcard,
  isSilent: boolean,
  environment: RenderEnvironment,
): Node {
  if (!isSilent) environment.wildcards.add(wildcard)
  const text = `${isSilent ? '' : '@'}${name}`
  if (wildcard === 'topic') return element('span', { class: `topic-mention${silent(isSilent)}` }, [text])
  const className = `user-mention channel-wildcard-mention${silent(isSilent)}`
  return element('span', { class: className, 'data-user-id': '*' }, [text])
}

function groupMention(name: string, asksSilence: boolean, environment: RenderEnvironment): Node | undefined {
  const group = environment.context.groups.byName(name)
  if (group === undefined) return undefined
  if (!asksSilence && !group.mentionable) environment.forbiddenGroups.add(group.id)
  const isSilent = asksSilence || !group.mentionable
  if (!isSilent) environment.mentionedGroups.add(group.id)
  const shown = Object.hasOwn(SYSTEM_GROUPS, group.name) ? SYSTEM_GROUPS[group.name]! : group.name
  const className = `user-group-mention${silent(isSilent)}`
  return element('span', { class: className, 'data-user-group-id': String(group.id) }, [
    `${isSilent ? '' : '@'}${shown}`,
  ])
}

function silent(isSilent: boolean): string {
  return isSilent ? ' silent' : ''
}
