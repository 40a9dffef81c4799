import { roles } from '@parley/contracts'
import { realmUserSection as contract } from '@parley/contracts/identity/sections'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import { section } from '../room.ts'
import { seenUsers } from './seen-users.ts'
import { systemBotObjects } from './system-bot-objects.ts'
import { roleFlags } from './user-presentation.ts'
import { usersOfRealm } from './user-store.ts'

export const realmUserSection = section(contract, async ({ caller, options, sql }) => {
  const users = await usersOfRealm(sql, caller.realm.id)
  const own = users.find((user) => user.id === caller.user.id)
  if (own === undefined) throw new Error(`account ${caller.user.id} is not in its organization`)
  // "custom profile fields are always there in this snapshot" is what clients of the public API rely on.
  const wishes = { client_gravatar: options.client_gravatar, include_custom_profile_fields: true }
  const seen = await seenUsers(sql, caller, users, wishes)
  const canMakeUrl = options.client_gravatar && own.avatar_source === 'G'
  return {
    user_id: own.id,
    email: own.email,
    delivery_email: own.delivery_email,
    full_name: own.full_name,
    ...roleFlags(own),
    is_moderator: own.role === roles.moderator,
    avatar_source: own.avatar_source,
    avatar_url: canMakeUrl ? null : avatarUrl(own),
    avatar_url_medium: canMakeUrl ? null : avatarUrl(own, 'medium'),
    realm_users: seen.filter((user) => user.is_active),
    realm_non_active_users: seen.filter((user) => !user.is_active),
    cross_realm_bots: systemBotObjects(options.client_gravatar),
  }
})
