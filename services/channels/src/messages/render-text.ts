import type { CallerRealm, CallerUser } from '@parley/contracts'
import { collectLookups, type RenderContext, type Rendered, renderMessage } from '@parley/markdown'
import { linkifiersOf } from '../directory/realm-linkifiers.ts'
import type { Deps } from '../room.ts'
import { mentionGroups } from './mentioned-groups.ts'

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

/**
 * Renders a text of an organization, looking up the people and channels that it names. Private channels are left as
 * plain text: a link would tell whoever reads it, and whoever wrote it, that there is such a channel. `author` is who
 * mentions the groups that it names.
 */
export const renderText = async (
  deps: Pick<Deps, 'database' | 'realms' | 'users' | 'channels'>,
  realm: CallerRealm,
  content: string,
  author?: Pick<CallerUser, 'id' | 'role'>,
): Promise<{ rendered: Rendered }> => {
  const lookups = collectLookups(content)
  const context = plainContext(realm)
  const organization = await deps.realms.get(realm.id)
  context.linkifiers = linkifiersOf(organization)
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
  if (lookups.channelNames.length > 0) {
    const channels = await deps.channels.byNames(realm.id, lookups.channelNames)
    context.channels = {
      byName: (name) =>
        channels.find((channel) => !channel.invite_only && channel.name.toLowerCase() === name.toLowerCase()),
    }
  }
  return { rendered: renderMessage(content, context) }
}
