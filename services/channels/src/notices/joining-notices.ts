/** What system bots say when channels were made, and when people were subscribed by somebody else; no I/O. */
import { limits } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import { channelNamed, silentMention } from './names.ts'
import type { NewNotice } from './notice-store.ts'

/** Where new channels are announced. */
const newChannelsTopic = 'new channels'

type Shown = Pick<ChannelRow, 'id' | 'name' | 'invite_only'>

/** The announcement of channels that somebody made: none of private ones, which are not everybody's to know of. */
export const newChannelNotices = (
  realm: Realm,
  maker: Pick<UserFact, 'id' | 'full_name'>,
  made: readonly Shown[],
): NewNotice[] => {
  const channel_id = realmSetting(realm, 'new_stream_announcements_stream_id')
  const names = made.filter((channel) => !channel.invite_only).map(channelNamed)
  if (channel_id === -1 || names.length === 0) return []
  const what =
    names.length === 1 ? `a new channel ${names[0]}` : `the following channels: ${names.join(', ')}`
  return [
    {
      realm_id: realm.id,
      bot: 'notification',
      to: { channel_id, topic: newChannelsTopic },
      content: `${silentMention(maker)} created ${what}.`,
    },
  ]
}

export interface Subscribed {
  readonly realm: Pick<Realm, 'id'>
  /** Who subscribed them. */
  readonly by: Pick<UserFact, 'id' | 'full_name'>
  readonly people: readonly Pick<UserFact, 'id' | 'bot_type'>[]
  /** Into which channels each came, by account; new channels are not among them. */
  readonly joined: ReadonlyMap<number, readonly Shown[]>
}

/** Whether so many people are told one by one that somebody subscribed them. */
export const areTold = (people: number): boolean => people <= limits.maxBulkNewSubscriptionMessages

/** To each person whom somebody else subscribed; bots are told nothing. */
export const newSubscriptionNotices = ({ realm, by, people, joined }: Subscribed): NewNotice[] =>
  people.flatMap((person) => {
    const names = (joined.get(person.id) ?? []).map(channelNamed)
    if (person.id === by.id || person.bot_type !== null || names.length === 0) return []
    const what =
      names.length === 1
        ? `the channel ${names[0]}.`
        : `the following channels:\n\n${names.map((name) => `* ${name}`).join('\n')}`
    return [
      {
        realm_id: realm.id,
        bot: 'notification',
        to: { user_ids: [person.id] },
        content: `${silentMention(by)} subscribed you to ${what}`,
      },
    ]
  })
