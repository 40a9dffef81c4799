/** Who may make which channels, and what these are like at first; no I/O. */
import { refuse } from '@parley/contracts'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Realm } from '../directory/realm-store.ts'
import { type Actor, isAdministrator, type SystemGroups } from '../permissions/actor.ts'
import { mayInRealm, realmSetting } from '../permissions/realm-permissions.ts'
import { defaultGroupSettings } from './channel-rules.ts'
import type { SharedByNewChannels } from './channel-store.ts'
import type { NewChannelWishes } from './new-channels.ts'

const insufficient = () => refuse('BAD_REQUEST', 'Insufficient permission')

/**
 * @throws ApiError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL when somebody may not make channels like these.
 */
export const demandMayCreate = (actor: Actor, realm: Realm, wishes: NewChannelWishes): void => {
  const permission = wishes.is_web_public
    ? 'can_create_web_public_channel_group'
    : wishes.invite_only
      ? 'can_create_private_channel_group'
      : 'can_create_public_channel_group'
  if (!mayInRealm(actor, realm, permission)) throw insufficient()
  if (wishes.is_web_public && !realmSetting(realm, 'enable_spectator_access')) {
    throw refuse('BAD_REQUEST', 'Web-public channels are not enabled.')
  }
  const { topics_policy, message_retention_days } = wishes
  demandMaySet(actor, realm, {
    is_default_stream: wishes.is_default_stream === true,
    default_push_notifications: wishes.default_push_notifications === true,
    message_retention_days: message_retention_days != null,
    topics_policy: topics_policy !== undefined && topics_policy !== 'inherit',
    deletion:
      wishes.can_delete_any_message_group !== undefined || wishes.can_delete_own_message_group !== undefined,
  })
}

/** Which of the properties are to be set that administering a channel is not enough for. */
export interface GuardedProperties {
  readonly is_default_stream: boolean
  readonly default_push_notifications: boolean
  readonly message_retention_days: boolean
  readonly topics_policy: boolean
  /** One of the two settings about deleting messages. */
  readonly deletion: boolean
}

/** @throws ApiError BAD_REQUEST; UNAUTHORIZED_PRINCIPAL for what is for owners. */
export const demandMaySet = (actor: Actor, realm: Realm, sets: GuardedProperties): void => {
  if ((sets.is_default_stream || sets.default_push_notifications) && !isAdministrator(actor)) {
    throw insufficient()
  }
  if (sets.message_retention_days && actor.role !== 100) {
    throw refuse('UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner')
  }
  if (sets.topics_policy && !mayInRealm(actor, realm, 'can_set_topics_policy_group')) throw insufficient()
  if (sets.deletion && !mayInRealm(actor, realm, 'can_set_delete_message_policy_group')) throw insufficient()
}

/**
 * In a protected history nobody can see which topics there are, so that all who may write may begin one.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandTopicsOfAll = (
  realm: Pick<Realm, 'system_groups'>,
  channel: {
    readonly invite_only: boolean
    readonly history_public_to_subscribers: boolean
    readonly group_settings: { readonly can_create_topic_group: GroupSettingValue }
  },
): void => {
  const isProtected = channel.invite_only && !channel.history_public_to_subscribers
  if (isProtected && channel.group_settings.can_create_topic_group !== realm.system_groups['role:everyone']) {
    throw refuse(
      'BAD_REQUEST',
      'In a channel with protected history everyone has to be able to create topics.',
    )
  }
}

/** What channels are like at first. Public ones have a public history; a private one's is protected unless asked otherwise. */
export const newChannelSettings = (
  creatorId: number,
  groups: SystemGroups,
  wishes: NewChannelWishes,
): Omit<SharedByNewChannels, 'realm_id' | 'creator_id'> => {
  const defaults = defaultGroupSettings(creatorId, groups)
  return {
    invite_only: wishes.invite_only,
    is_web_public: wishes.is_web_public ?? false,
    history_public_to_subscribers: !wishes.invite_only || (wishes.history_public_to_subscribers ?? false),
    message_retention_days: wishes.message_retention_days ?? null,
    default_push_notifications: wishes.default_push_notifications ?? false,
    topics_policy: wishes.topics_policy ?? 'inherit',
    folder_id: wishes.folder_id ?? null,
    group_settings: Object.fromEntries(
      Object.entries(defaults).map(([name, value]) => [name, wishes[name as keyof typeof defaults] ?? value]),
    ) as typeof defaults,
  }
}
