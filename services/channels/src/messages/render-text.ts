import type { CallerRealm, CallerUser } from '@parley/contracts'
import { isSystemBot } from '@parley/contracts/identity/system-bots'
import {
  collectLookups,
  type Lookups,
  type RenderContext,
  type Rendered,
  renderMessage,
} from '@parley/markdown'
import type { ChannelRow } from '../channels/channel-store.ts'
import { linkifiersOf } from '../directory/realm-linkifiers.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import type { Deps } from '../room.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'
import { newestOfTopics } from '../topics/newest-of-topics.ts'
import { mentionGroups } from './mentioned-groups.ts'
import { shownUploads } from './shown-uploads.ts'

const none = () => undefined

/** For texts that refer to nothing: most of them. */
const plainContext = (realm: CallerRealm): RenderContext => ({
  realm: { url: realm.url },
  users: { byName: () => [], byId: none },
  groups: { byName: none },
  channels: { byName: none },
  emoji: { byName: none },
  linkifiers: [],
  translateEmoticons: false,
})

/** Who writes a text, and where it will be read. */
interface Authorship {
  /** Who mentions the groups that it names, and shows the files. */
  readonly author?: Pick<CallerUser, 'id' | 'role'>
  /** The channel that it is for. */
  readonly place?: number | undefined
}

/** Where what a text names is looked up. */
export type TextDirectories = Pick<
  Deps,
  'database' | 'realms' | 'users' | 'channels' | 'personal' | 'emoji'
> &
  Partial<Pick<Deps, 'ask'>>

/** Renders a text of an organization, looking up the people, channels and emoji that it names. */
export const renderText = async (
  deps: TextDirectories,
  realm: CallerRealm,
  content: string,
  authorship: Authorship = {},
): Promise<{ rendered: Rendered }> => {
  const { author } = authorship
  const lookups = collectLookups(content)
  const context = plainContext(realm)
  const organization = await deps.realms.get(realm.id)
  context.linkifiers = linkifiersOf(organization)
  context.defaultCodeLanguage = realmSetting(organization, 'default_code_block_language')
  context.inlineImagePreview = realmSetting(organization, 'inline_image_preview')
  if (author !== undefined) {
    const people = await deps.personal.of(realm.id)
    context.translateEmoticons = people.setting(author.id, 'translate_emoticons')
  }
  if (lookups.emojiNames.length > 0) {
    const { activeByName } = await deps.emoji.of(realm.id)
    context.emoji = { byName: (name) => activeByName.get(name) }
  }
  if (lookups.groupNames.length > 0) {
    const groups = await mentionGroups(deps, organization, lookups.groupNames, author)
    context.groups = {
      byName: (name) => groups.find((group) => group.name.toLowerCase() === name.toLowerCase()),
    }
  }
  if (lookups.userNames.length + lookups.userIds.length > 0) {
    const named = await deps.users.byFullNames(realm.id, lookups.userNames)
    const numbered = await deps.users.byIds(realm.id, lookups.userIds)
    context.users = {
      byName: (name) => named.filter((user) => user.full_name.toLowerCase() === name.toLowerCase()),
      byId: (id) => numbered.get(id),
    }
  }
  if (lookups.channelNames.length > 0) await lookUpChannels(deps, realm, lookups, authorship, context)
  if (lookups.uploads.length > 0 && author !== undefined && deps.ask !== undefined) {
    context.uploads = await shownUploads(deps.ask, realm.id, author.id, lookups.uploads)
  }
  return { rendered: renderMessage(content, context) }
}

/**
 * Channels that a text names, and the newest messages of topics. Private channels are left as plain text, unless the
 * author is in them (or the text is for them): a link would tell that there is such a channel.
 */
const lookUpChannels = async (
  deps: Pick<Deps, 'database' | 'channels'>,
  realm: CallerRealm,
  lookups: Lookups,
  authorship: Authorship,
  context: RenderContext,
): Promise<void> => {
  const { database } = deps
  const named = await deps.channels.byNames(realm.id, lookups.channelNames)
  const shown = await linkable(deps, named, authorship)
  const byName = (name: string) => shown.find((channel) => channel.name.toLowerCase() === name.toLowerCase())
  context.channels = { byName }
  const topics = lookups.topics.flatMap(({ channel, topic }) => {
    const found = byName(channel)
    return found === undefined ? [] : [{ channelId: found.id, topic }]
  })
  if (topics.length === 0) return
  const newest = await database.guard(newestOfTopics(database.sql, topics))
  const key = (channelId: number, topic: string): string => `${channelId}/${topic.toLowerCase()}`
  const byTopic = new Map(newest.map((one) => [key(one.channel_id, one.topic), one.id]))
  context.topics = { newestMessage: (channelId, topic) => byTopic.get(key(channelId, topic)) }
}

const linkable = async (
  { database }: Pick<Deps, 'database'>,
  named: readonly ChannelRow[],
  { author, place }: Authorship,
): Promise<readonly ChannelRow[]> => {
  const closed = named.filter((channel) => channel.invite_only && channel.id !== place)
  if (closed.length === 0) return named
  const own =
    author === undefined || isSystemBot(author.id)
      ? []
      : await database.guard(
          currentMemberships(
            database.sql,
            closed.map((channel) => channel.id),
            [author.id],
          ),
        )
  const ofAuthor = new Set(own.map((one) => one.channel_id))
  return named.filter((channel) => !closed.includes(channel) || ofAuthor.has(channel.id))
}
