/** What the server says when somebody comes; no I/O. */
import { plain, silentMention } from './names.ts'

/** `own` is what the organization says besides; empty for nothing. */
export const welcomeText = (realmName: string, own: string): string => {
  const standard = `Hello, and welcome to ${plain(realmName) || 'your organization'}! :wave:

Conversations are sorted by channel and topic: a channel is for a team or a subject, a topic in it for one matter. Start a topic with the question that you have, and answer in the topic where it was asked; so everybody finds it later.

I am a bot and cannot answer, but you may try out here how to write a message.`
  return own.trim() === '' ? standard : `${standard}\n\n${own}`
}

export const signupText = (user: { readonly id: number; readonly full_name: string }): string =>
  `${silentMention(user)} joined this organization.`
