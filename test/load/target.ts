/** What a benchmark drives: Parley, or the floor that it is compared with. */
export interface Target {
  readonly name: string
  /** One sender in one of `channels` channels; resolves when the send is accepted. */
  send(sender: number, text: string): Promise<void>
  /** Opens a client that polls until stopped and reports each message's text. */
  receive(receiver: number, onMessage: (text: string) => void): Promise<{ stop(): void }>
  /** How many sends were accepted so far. */
  sends(): number
  /** Process IDs whose memory counts. */
  pids(): number[]
  stop(): Promise<void>
}

/** How a target is peopled: everyone is in the channel of number `n % channels`. */
export interface Crowd {
  readonly senders: number
  readonly receivers: number
  readonly channels: number
}

/** The channel of each of a crowd's people. */
export const channelsOf = ({ senders, receivers, channels }: Crowd): string[] =>
  Array.from({ length: Math.max(senders, receivers) }, (_, n) => `channel ${n % channels}`)
