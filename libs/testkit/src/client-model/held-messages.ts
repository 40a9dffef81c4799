/** Messages that a client fetched (`state.messages`), kept as clients keep them; nothing for who fetched none. */
import type { Thing } from './lists.ts'
import type { State } from './model.ts'

/** What of a message is kept up to date by events. */
const kept = ({ id, sender_id, stream_id, subject, content, reactions, flags }: Thing): Thing => ({
  ...{ id, sender_id, stream_id, subject, content },
  reactions: (reactions as Thing[]).map(sameReaction),
  isStarred: flags.includes('starred'),
})

const sameReaction = ({ user_id, reaction_type, emoji_code }: Thing): string =>
  `${user_id} ${reaction_type} ${emoji_code}`

/** The state of a client that has just fetched `messages`. */
export const withMessages = (state: State, messages: readonly Thing[]): State => ({
  ...state,
  messages: messages.map(kept),
})

const change = (state: State, ids: readonly number[], how: (message: Thing) => Thing): void => {
  if (state.messages === undefined) return
  state.messages = state.messages.map((message: Thing) => (ids.includes(message.id) ? how(message) : message))
}

/** A message came; whoever fetched only one channel keeps only what is of it. */
export const keepMessage = (state: State, message: Thing, flags: readonly string[]): void => {
  const { messages, messagesOf } = state
  if (messages === undefined || message.stream_id !== messagesOf) return
  if (messages.some(({ id }: Thing) => id === message.id)) return
  messages.push(kept({ ...message, flags }))
}

export const dropMessages = (state: State, gone: readonly number[]): void => {
  if (state.messages !== undefined)
    state.messages = state.messages.filter(({ id }: Thing) => !gone.includes(id))
}

export const star = (state: State, ids: readonly number[], isStarred: boolean): void =>
  change(state, ids, (message) => ({ ...message, isStarred }))

export const react = (state: State, event: Thing, isThere: boolean): void =>
  change(state, [event.message_id], (message) => {
    const others = message.reactions.filter((one: string) => one !== sameReaction(event))
    return { ...message, reactions: isThere ? [...others, sameReaction(event)] : others }
  })

/** An edit is of one message, a move of all that it names. */
export const edit = (state: State, { message_id, message_ids, content, subject }: Thing): void => {
  if (content !== undefined) change(state, [message_id], (message) => ({ ...message, content }))
  if (subject !== undefined) change(state, message_ids, (message) => ({ ...message, subject }))
}
