import { type MessageRecord, presentMessage } from '@parley/contracts/objects/message'
import type { Trigger } from '@parley/contracts/webhook-dispatcher/deliveries'

/** What a call says, whatever its form. */
export interface Telling {
  readonly bot: {
    readonly bot_id: number
    readonly realm_id: number
    readonly email: string
    readonly full_name: string
    readonly token: string
  }
  readonly trigger: Trigger
  readonly message: MessageRecord
  /** Host name of the organization. */
  readonly realmHost: string
}

export interface Payload {
  readonly contentType: string
  readonly body: string
}

/** Receivers have no queue to have said what they understand on: the plainest form. */
const wants = { apply_markdown: false, client_gravatar: false, empty_topic_name: false }

/** The server's own form (requirement, "Outgoing webhook delivery"): raw content, and the rendered beside it. */
const nativePayload = ({ bot, trigger, message }: Telling): Payload => ({
  contentType: 'application/json',
  body: JSON.stringify({
    bot_email: bot.email,
    bot_full_name: bot.full_name,
    data: message.content,
    trigger,
    token: bot.token,
    message: { ...presentMessage(message, wants), rendered_content: message.rendered_content },
  }),
})

/** The form that receivers made for Slack's outgoing webhooks read; it knows channels only. */
const slackPayload = ({ bot, trigger, message, realmHost }: Telling): Payload => ({
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams({
    token: bot.token,
    team_id: `T${bot.realm_id}`,
    team_domain: realmHost,
    channel_id: `C${message.stream_id}`,
    channel_name: String(message.display_recipient),
    thread_ts: String(message.timestamp),
    timestamp: String(message.timestamp),
    user_id: `U${message.sender_id}`,
    user_name: message.sender_full_name,
    text: message.content,
    trigger_word: trigger,
    service_id: String(bot.bot_id),
  }).toString(),
})

export const slackInterface = 2

/** Why a message cannot be told of in a form; undefined when it can. */
export const payloadFinding = (form: number, message: Pick<MessageRecord, 'type'>): string | undefined =>
  form === slackInterface && message.type === 'private'
    ? "Slack outgoing webhooks don't support direct messages."
    : undefined

export const payloadOf = (form: number, telling: Telling): Payload =>
  form === slackInterface ? slackPayload(telling) : nativePayload(telling)
