import { type KnownCaller, refuse } from '@parley/contracts'
import type { channelPermissionNames as names } from '@parley/contracts/channels/permission-settings'
import {
  channelPermissionNames,
  channelPermissionSettings,
} from '@parley/contracts/channels/permission-settings'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Realm } from '../directory/realm-store.ts'
import { demandUsableFolder } from '../folders/folder-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { demandSettingValue } from '../permissions/setting-values.ts'
import type { Deps, Queries } from '../room.ts'
import { demandMayCreate, demandTopicsOfAll, newChannelSettings } from './channel-creation-rules.ts'
import { insertChannels, type NewChannel } from './channel-store.ts'

type Permission = (typeof names)[number]

/** What a client asks of channels to be made, as the contract's `newChannel` parses it. */
export type NewChannelWishes = {
  readonly invite_only: boolean
  readonly is_web_public?: boolean | undefined
  readonly is_default_stream?: boolean | undefined
  readonly history_public_to_subscribers?: boolean | undefined
  readonly message_retention_days?: number | null | undefined
  readonly topics_policy?:
    | 'inherit'
    | 'allow_empty_topic'
    | 'disable_empty_topic'
    | 'empty_topic_only'
    | undefined
  readonly folder_id?: number | null | undefined
  readonly default_push_notifications?: boolean | undefined
} & { readonly [K in Permission]?: GroupSettingValue | undefined }

/** Wishes whose group-setting values are known to be right. */
export type CheckedWishes = NewChannelWishes & { readonly isChecked: true }

/**
 * Checks the values that need looking up, before any transaction.
 *
 * @throws ApiError as {@link demandSettingValue}.
 */
export const checkWishes = async (
  deps: Pick<Deps, 'database' | 'users' | 'ask'>,
  realmId: number,
  wishes: NewChannelWishes,
): Promise<CheckedWishes> => {
  const values: { [K in Permission]?: GroupSettingValue } = {}
  for (const name of channelPermissionNames) {
    const sent = wishes[name]
    if (sent === undefined) continue
    values[name] = await demandSettingValue(deps, realmId, name, channelPermissionSettings[name], sent)
  }
  return { ...wishes, ...values, isChecked: true }
}

/**
 * Makes the channels whose names are free, if there are any.
 *
 * @returns IDs of the channels made.
 * @throws ApiError when the caller may not make such channels.
 */
export const makeChannels = async (
  sql: Queries,
  by: { readonly caller: KnownCaller; readonly actor: Actor; readonly realm: Realm },
  wishes: CheckedWishes,
  channels: readonly NewChannel[],
): Promise<Set<number>> => {
  if (channels.length === 0) return new Set()
  const { actor, realm, caller } = by
  demandMayCreate(actor, realm, wishes)
  if (wishes.folder_id != null) await demandUsableFolder(sql, realm.id, wishes.folder_id)
  const shared = { realm_id: realm.id, creator_id: caller.user.id }
  const settings = newChannelSettings(caller.user.id, realm.system_groups, wishes)
  demandTopicsOfAll(realm, settings)
  const made = await insertChannels(sql, { ...shared, ...settings }, channels)
  if (made.size > 0 && wishes.is_default_stream === true) {
    await sql`
      INSERT INTO default_channels (realm_id, channel_id) SELECT ${realm.id}, unnest(${[...made]}::bigint[])
      ON CONFLICT DO NOTHING`
  }
  return made
}

/** @throws ApiError BAD_REQUEST: what nobody may ask for. */
export const refuseContradiction = (wishes: NewChannelWishes): void => {
  if (wishes.invite_only && wishes.is_web_public) throw refuse('BAD_REQUEST', 'Invalid parameters')
  if (wishes.invite_only && wishes.is_default_stream) {
    throw refuse('BAD_REQUEST', 'A default channel cannot be private.')
  }
}
