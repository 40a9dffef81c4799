/** Who follows a topic, or unmutes it, by taking part in it; no I/O. */
import type { UserFact } from '@parley/contracts/identity/topics'
import type { RealmPeople } from '../directory/personal-directory.ts'

/** What a message does to somebody's policy for its topic; migrations/110_sending.sql says what the fields mean. */
export interface TopicWish {
  readonly user_id: number
  readonly policy: 2 | 3
  readonly unless: readonly number[]
  readonly on_start?: true
  readonly in_muted?: true
  readonly as_member?: true
}

/** Values of the settings: how little makes a topic followed, or unmuted; 2 is sending, 4 nothing. */
const byParticipation = 1
const byStarting = 3

const unmuted = 2
const followed = 3

/** By sending a message. Bots follow nothing. */
export const wishesOfSender = (
  people: RealmPeople,
  sender: Pick<UserFact, 'id' | 'bot_type'>,
): readonly TopicWish[] => {
  if (sender.bot_type !== null) return []
  const wish = (
    setting: 'automatically_follow_topics_policy' | 'automatically_unmute_topics_in_muted_streams_policy',
    made: TopicWish,
  ): TopicWish[] => {
    const least = people.setting(sender.id, setting)
    if (least > byStarting) return []
    return [least === byStarting ? { ...made, on_start: true } : made]
  }
  const user_id = sender.id
  return [
    ...wish('automatically_follow_topics_policy', { user_id, policy: followed, unless: [followed] }),
    // What is followed is seen already.
    ...wish('automatically_unmute_topics_in_muted_streams_policy', {
      ...{ user_id, policy: unmuted, unless: [unmuted, followed], in_muted: true },
    }),
  ]
}

/** By being mentioned by name; who muted the topic wants to hear nothing of it all the same. */
export const wishesOfMentioned = (
  people: RealmPeople,
  mentioned: readonly Pick<UserFact, 'id' | 'bot_type'>[],
): readonly TopicWish[] =>
  mentioned
    .filter(
      ({ id, bot_type }) =>
        bot_type === null && people.setting(id, 'automatically_follow_topics_where_mentioned'),
    )
    .map(({ id }) => ({ user_id: id, policy: followed, unless: [1, followed], as_member: true }))

/** By anything else in a topic: a reaction, a vote. Sending is more. */
export const wishesOfParticipant = (
  people: RealmPeople,
  user: Pick<UserFact, 'id' | 'bot_type'>,
): readonly TopicWish[] =>
  wishesOfSender(people, user).filter(
    ({ policy }) =>
      people.setting(
        user.id,
        policy === followed
          ? 'automatically_follow_topics_policy'
          : 'automatically_unmute_topics_in_muted_streams_policy',
      ) === byParticipation,
  )
