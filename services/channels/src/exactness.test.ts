/** What crosses services and the event queues themselves is raced in test/acceptance/race.test.ts. */

import { type KnownCaller, roles } from '@parley/contracts'
import { announcing } from '@parley/kit'
import { opposites, race, raceFromEnvironment } from '@parley/testkit/exactness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel } from './channels/create-channel.ts'
import { updateChannel } from './channels/update-channel.ts'
import { addDefaultChannel } from './default-channels/add-default-channel.ts'
import { removeDefaultChannel } from './default-channels/remove-default-channel.ts'
import { followUser } from './directory/on-user-changed.ts'
import { createDrafts } from './drafts/create-drafts.ts'
import { deleteDraft } from './drafts/delete-draft.ts'
import { updateDraft } from './drafts/update-draft.ts'
import { createChannelFolder } from './folders/create-channel-folder.ts'
import { reorderChannelFolders } from './folders/reorder-channel-folders.ts'
import { updateChannelFolder } from './folders/update-channel-folder.ts'
import { deleteMessage } from './message-changes/delete-message.ts'
import { updateMessage } from './message-changes/update-message.ts'
import { sendMessage } from './messages/send-message.ts'
import { createNavigationView } from './navigation-views/create-navigation-view.ts'
import { deleteNavigationView } from './navigation-views/delete-navigation-view.ts'
import { updateNavigationView } from './navigation-views/update-navigation-view.ts'
import { noticeWork } from './notices/send-notices.ts'
import { addReaction } from './reactions/add-reaction.ts'
import { markAllAsRead } from './read-state/mark-all-as-read.ts'
import { markStreamAsRead } from './read-state/mark-stream-as-read.ts'
import { markTopicAsRead } from './read-state/mark-topic-as-read.ts'
import { updateMessageFlags } from './read-state/update-message-flags.ts'
import { createReminder } from './reminders/create-reminder.ts'
import { deleteReminder } from './reminders/delete-reminder.ts'
import { reminderWork } from './reminders/send-reminders.ts'
import { retentionWork } from './retention/expire-messages.ts'
import { createSavedSnippet } from './saved-snippets/create-saved-snippet.ts'
import { deleteSavedSnippet } from './saved-snippets/delete-saved-snippet.ts'
import { updateSavedSnippet } from './saved-snippets/update-saved-snippet.ts'
import { createScheduledMessage } from './scheduled-messages/create-scheduled-message.ts'
import { deleteScheduledMessage } from './scheduled-messages/delete-scheduled-message.ts'
import { scheduledMessageWork } from './scheduled-messages/send-scheduled-messages.ts'
import { updateScheduledMessage } from './scheduled-messages/update-scheduled-message.ts'
import { service } from './service.ts'
import { addSubscriptions } from './subscriptions/add-subscriptions.ts'
import { membersAt } from './subscriptions/period-store.ts'
import { removeSubscriptions } from './subscriptions/remove-subscriptions.ts'
import { updateSubscriptionProperties } from './subscriptions/update-subscription-properties.ts'
import { openTestRoom, type TestRoom } from './test-room.ts'
import { deleteTopic } from './topics/delete-topic.ts'
import { updateMutedTopic } from './user-topics/update-muted-topic.ts'
import { updateUserTopic } from './user-topics/update-user-topic.ts'

const { seconds, seed, longest, random, pick, word } = raceFromEnvironment()

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

const shapes = opposites({
  notification_settings_null: true,
  bulk_message_deletion: true,
  archived_channels: true,
  empty_topic_name: true,
})

const open = async () => {
  const [owner, admin, member, guest] = await Promise.all([
    room.person('owner'),
    room.person('administrator'),
    room.person(),
    room.person('guest'),
  ])
  const victims = await Promise.all([room.person(), room.person(), room.person()])
  const people = [owner, admin, member, guest]
  const ids = (of: readonly KnownCaller[]) => of.map(({ user }) => user.id)
  const channel = async (name: string, subscribers: readonly KnownCaller[]) =>
    (await room.call(createChannel, owner, { name, subscribers: ids(subscribers) })).id
  const names = ['alpha', 'beta', 'gamma']
  const coming = await Promise.all(names.map((name) => channel(name, [owner, ...victims])))
  const talk = await channel('talk', [...people, ...victims])
  // Whom a channel is hidden from and shown to again never had settings for it: no event says them.
  const vault = await channel('vault', [owner, admin, ...victims])
  const made = {
    messages: [] as number[],
    drafts: [] as number[],
    snippets: [] as number[],
    folders: [] as number[],
    planned: [] as number[],
    reminders: [] as number[],
  }
  // By taking part in a topic they follow it.
  for (const one of [member, guest]) {
    await room.choose(one, { settings: { automatically_follow_topics_policy: 1 } })
  }
  let versions = 1
  // The consumer takes in one fact after the other.
  let facts = Promise.resolve()
  const someone = () => pick(people)!
  const change = (stream_id: number, sent: object) => room.call(updateChannel, owner, { stream_id, ...sent })
  const latest = () => pick(made.messages.slice(-8)) ?? 0
  const say = async (): Promise<void> => {
    const place = pick([
      { type: 'channel', to: 'talk', topic: pick(['one', 'Two', 'two', '']) },
      { type: 'channel', to: pick(names), topic: 'a' },
      { type: 'direct', to: ids([pick(people)!, ...(random() < 0.5 ? [pick(people)!] : [])]) },
    ])
    made.messages.push((await room.call(sendMessage, someone(), { ...place, content: word() })).id)
  }
  const soon = () => Math.floor(Date.now() / 1000) + pick([1, 2, 3, 60])!
  const works = [noticeWork, reminderWork, retentionWork, scheduledMessageWork].map((work) => work(room.deps))
  const acts: readonly (() => Promise<unknown>)[] = [
    say,
    say,
    () =>
      room.call(addSubscriptions, pick([owner, admin, member])!, { subscriptions: [{ name: pick(names) }] }),
    () => room.call(removeSubscriptions, pick([owner, admin, member])!, { subscriptions: [pick(names)] }),
    () =>
      room.call(addSubscriptions, owner, {
        subscriptions: [{ name: pick(names) }],
        principals: ids([pick(victims)!]),
      }),
    () =>
      room.call(removeSubscriptions, owner, {
        subscriptions: [pick(names)],
        principals: ids([pick(victims)!]),
      }),
    () => {
      facts = facts.then(async () => {
        versions += 1
        const { id } = pick(victims)!.user
        const user = (await room.deps.users.byIds(room.realm.id, [id])).get(id)!
        const role = pick([roles.administrator, roles.member])!
        const fact = { ...user, is_active: random() < 0.6, role, version: versions }
        await room.deps.database.transaction((tx) => followUser(announcing(tx), room.deps, fact))
        room.deps.users.learn(fact)
      })
      return facts
    },
    () => change(vault, { is_archived: random() < 0.5 }),
    () => change(vault, { is_private: random() < 0.5 }),
    () => change(pick(coming)!, { description: word() }),
    () =>
      change(pick(coming)!, {
        can_add_subscribers_group: {
          new: { direct_members: ids([pick(victims)!, member]).sort(), direct_subgroups: [] },
        },
      }),
    () => change(pick(coming)!, { folder_id: pick(made.folders) ?? null }),
    () => change(pick(coming)!, { message_retention_days: pick([1, 30]) }),
    () => room.call(pick([addDefaultChannel, removeDefaultChannel])!, owner, { stream_id: pick(coming) }),
    () =>
      room.call(updateSubscriptionProperties, someone(), {
        subscription_data: [
          {
            stream_id: pick([talk, ...coming]),
            property: pick(['pin_to_top', 'is_muted']),
            value: random() < 0.5,
          },
          { stream_id: talk, property: 'push_notifications', value: pick([true, false, null]) },
        ],
      }),
    () =>
      room.call(updateUserTopic, someone(), {
        ...{ stream_id: talk, topic: pick(['one', 'two', 'TWO', '']), visibility_policy: pick([0, 1, 2, 3]) },
      }),
    () =>
      room.call(updateMessageFlags, someone(), {
        messages: [latest()],
        op: pick(['add', 'remove']),
        flag: pick(['read', 'read', 'starred']),
      }),
    () =>
      room.call(updateMessage, owner, {
        message_id: latest(),
        ...pick([
          { topic: pick(['one', 'two', 'three']), propagate_mode: pick(['change_one', 'change_all']) },
          { stream_id: pick([talk, ...coming]), propagate_mode: 'change_one' },
        ]),
      }),
    () => room.call(deleteMessage, owner, { message_id: latest() }),
    () => room.call(markTopicAsRead, someone(), { stream_id: talk, topic_name: pick(['one', 'two', '']) }),
    () => room.call(markStreamAsRead, someone(), { stream_id: pick(coming) }),
    () => room.call(markAllAsRead, someone()),
    async () => {
      const draft = { type: '', to: [], topic: '', content: word(), timestamp: 1 }
      const { ids: drafts } = await room.call(createDrafts, member, { drafts: [draft] })
      made.drafts.push(...drafts)
    },
    () => room.call(deleteDraft, member, { draft_id: pick(made.drafts) ?? 0 }),
    async () => {
      const sent = { title: word(), content: 'x' }
      made.snippets.push((await room.call(createSavedSnippet, member, sent)).saved_snippet_id)
    },
    () => room.call(deleteSavedSnippet, member, { saved_snippet_id: pick(made.snippets) ?? 0 }),
    () => room.call(createNavigationView, member, { fragment: pick(['inbox', 'recent']), is_pinned: true }),
    () => room.call(deleteNavigationView, member, { fragment: pick(['inbox', 'recent']) }),
    async () => {
      if (made.folders.length > 5) return
      const sent = { name: word(), description: '' }
      made.folders.push((await room.call(createChannelFolder, owner, sent)).channel_folder_id)
    },
    () =>
      room.call(updateChannelFolder, owner, {
        channel_folder_id: pick(made.folders) ?? 0,
        description: word(),
      }),
    () =>
      room.call(updateSavedSnippet, member, { saved_snippet_id: pick(made.snippets) ?? 0, title: word() }),
    () => {
      const draft = { type: '', to: [], topic: '', content: word(), timestamp: 2 }
      return room.call(updateDraft, member, { draft_id: pick(made.drafts) ?? 0, draft })
    },
    () =>
      room.call(updateNavigationView, member, {
        fragment: pick(['inbox', 'recent']),
        is_pinned: random() < 0.5,
      }),
    () => room.call(reorderChannelFolders, owner, { order: made.folders.toSorted(() => random() - 0.5) }),
    () =>
      room.call(updateMutedTopic, someone(), {
        ...{ stream_id: talk, topic: pick(['one', 'two', 'three', '']), op: pick(['add', 'remove']) },
      }),
    () => room.call(addReaction, someone(), { message_id: latest(), emoji_name: pick(['+1', 'heart']) }),
    () => room.call(updateMessage, owner, { message_id: latest(), content: word() }),
    () =>
      room.call(deleteTopic, owner, { stream_id: pick([talk, ...coming]), topic_name: pick(['a', 'two']) }),
    async () => {
      const to = pick([talk, ...coming])
      const sent = {
        type: 'channel',
        to,
        topic: 'one',
        content: word(),
        scheduled_delivery_timestamp: soon(),
      }
      made.planned.push((await room.call(createScheduledMessage, member, sent)).scheduled_message_id)
    },
    () =>
      room.call(updateScheduledMessage, member, {
        scheduled_message_id: pick(made.planned.slice(-4)) ?? 0,
        ...pick([{ content: word() }, { scheduled_delivery_timestamp: soon() }]),
      }),
    () =>
      room.call(deleteScheduledMessage, member, {
        scheduled_message_id: pick(made.planned.slice(-4)) ?? 0,
      }),
    async () => {
      const sent = { message_id: latest(), scheduled_delivery_timestamp: soon() }
      made.reminders.push((await room.call(createReminder, member, sent)).reminder_id)
    },
    () => room.call(deleteReminder, member, { reminder_id: pick(made.reminders.slice(-4)) ?? 0 }),
    async () => {
      // Everything is old all at once, and goes from channels that keep it for a day.
      await room.deps.database.transaction(async ({ sql }) => {
        await sql`UPDATE messages SET sent_at = now() - interval '2 days' WHERE id < ${latest()}`
        await sql`UPDATE retention_progress SET due_at = now()`
      })
    },
    ...works.map(({ takeOne }) => takeOne),
  ]
  return { people, acts }
}

it(
  `whatever commits around a registration, what follows continues it (EXACTNESS_SEED=${seed})`,
  async () => {
    const { people, acts } = await open()
    const { faults, departures, schedules, kinds } = await race({
      ...{ seconds, pick, acts },
      deps: room.deps,
      sections: service.sections,
      followers: people.flatMap((caller) => shapes.map((shape) => ({ caller, shape }))),
      membersAt: (channelId, version) => membersAt(room.deps.database.sql, channelId, version),
    })
    expect(faults).toEqual([])
    expect(departures).toEqual([])
    expect(schedules).toBeGreaterThan(1000)
    expect(kinds.size).toBeGreaterThan(20)
  },
  longest,
)
