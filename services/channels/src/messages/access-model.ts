/** Who may read what, in the plainest words: a model that the service is compared with by tests. */
import type { RoleName } from '@parley/contracts'

export interface ModelChannel {
  readonly id: number
  readonly name: string
  isPrivate: boolean
  /** Whether who joins a private channel reads what was written before. */
  isHistoryShared: boolean
  readonly members: Set<number>
}

export interface ModelMessage {
  readonly id: number
  readonly sender: number
  /** Undefined for direct messages. */
  channel: ModelChannel | undefined
  topic: string
  /** To whom it was sent, or who was in the channel when it was moved there. */
  recipients: ReadonlySet<number>
}

export class AccessModel {
  readonly roles = new Map<number, RoleName>()
  readonly channels: ModelChannel[] = []
  readonly messages = new Map<number, ModelMessage>()

  mayRead(user: number, message: ModelMessage): boolean {
    const { channel, recipients } = message
    if (channel === undefined) return recipients.has(user)
    const isIn = channel.members.has(user)
    if (!channel.isPrivate) return isIn || this.roles.get(user) !== 'guest'
    return isIn && (channel.isHistoryShared || recipients.has(user))
  }

  readableBy(user: number): number[] {
    return [...this.messages.values()]
      .filter((message) => this.mayRead(user, message))
      .map((message) => message.id)
      .sort((a, b) => a - b)
  }

  /** Messages of a topic, or of a channel where `topic` is undefined. */
  in(channel: ModelChannel, topic?: string): ModelMessage[] {
    return [...this.messages.values()].filter(
      (message) => message.channel === channel && (topic === undefined || message.topic === topic),
    )
  }

  sent(id: number, sender: number, channel: ModelChannel, topic: string): void {
    this.messages.set(id, { id, sender, channel, topic, recipients: new Set(channel.members) })
  }

  sentDirectly(id: number, sender: number, other: number): void {
    this.messages.set(id, { id, sender, channel: undefined, topic: '', recipients: new Set([sender, other]) })
  }

  moved(message: ModelMessage, to: ModelChannel, topic: string): void {
    message.topic = topic
    if (message.channel === to) return
    message.channel = to
    message.recipients = new Set(to.members)
  }
}
