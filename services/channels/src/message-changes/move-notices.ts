/** What the notification bot says in the threads that messages were moved between. */
import type { ChannelRow } from '../channels/channel-store.ts'
import { demandSender } from '../messages/send-text.ts'
import { insertNotices, type NewNotice } from '../notices/notice-store.ts'
import type { ChangeScene } from './change-scene.ts'
import { threadOf } from './change-store.ts'

/** @param count how many messages were moved. */
export const moveNotices = async (
  scene: ChangeScene,
  target: ChannelRow | undefined,
  topic: string,
  count: number,
  resolved: 'resolved' | 'unresolved' | undefined,
): Promise<void> => {
  const { tx, deps, realm, actor, message, params } = scene
  const channel = scene.channel!
  const place = target ?? channel
  const mover = await demandSender(deps, realm.id, actor.id)
  const by = `@_**${mover.full_name}|${mover.id}**`
  const notices: NewNotice[] = []
  const say = (where: ChannelRow, thread: string, content: string, is_quiet = false): void => {
    const to = { channel_id: where.id, topic: thread }
    notices.push({ realm_id: realm.id, bot: 'notification', to, content, is_quiet })
  }
  if (resolved !== undefined && target === undefined) {
    if (params.propagate_mode !== 'change_one')
      say(channel, topic, `${by} has marked this topic as ${resolved}.`, true)
    await insertNotices(tx.sql, notices)
    if (notices.length > 0) tx.afterCommit(deps.bell.ring)
    return
  }
  const left = await threadOf(tx.sql, channel.id, message.topic)
  const [subject, verb] =
    left.length === 0 && params.propagate_mode === 'change_all'
      ? ['This topic', 'was']
      : count === 1
        ? ['A message', 'was']
        : [`${count} messages`, 'were']
  // A private channel is not named where others read.
  const named = (of: ChannelRow, thread: string, elsewhere: ChannelRow): string =>
    of.invite_only && of.id !== elsewhere.id ? 'another channel' : `#**${of.name}>${thread}**`
  if (params.send_notification_to_new_thread) {
    say(place, topic, `${subject} ${verb} moved here from ${named(channel, message.topic, place)} by ${by}.`)
  }
  if (params.send_notification_to_old_thread) {
    const from = subject === 'This topic' ? '' : ' from this topic'
    say(
      channel,
      message.topic,
      `${subject} ${verb} moved${from} to ${named(place, topic, channel)} by ${by}.`,
    )
  }
  await insertNotices(tx.sql, notices)
  if (notices.length > 0) tx.afterCommit(deps.bell.ring)
}
