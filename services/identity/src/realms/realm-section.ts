import { type CallerRealm, limits, type SectionData } from '@parley/contracts'
import { channelPermissionSettings } from '@parley/contracts/channels/permission-settings'
import { groupPermissions, realmPermissions } from '@parley/contracts/identity/permission-settings'
import { realmSection as contract } from '@parley/contracts/identity/sections'
import { emptyTopicDisplayName } from '@parley/contracts/objects/message'
import { hasFullContentAccess } from '../exports/full-content-access.ts'
import { shownSettings } from '../groups/shown-settings.ts'
import { type Deps, type Queries, section } from '../room.ts'
import { legacyPolicies } from './legacy-policies.ts'
import { realmHost } from './realm-address.ts'
import { demoEndOf } from './realm-life-store.ts'
import { looksOf } from './realm-looks.ts'
import { realmById } from './realm-store.ts'
import { serverFields } from './server-fields.ts'
import { methodsInForce, methodsOffered, permissionsInForce, settingsInForce } from './settings-in-force.ts'

const named = (values: Record<string, unknown>): Record<string, never> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`realm_${name}`, value as never]))

interface Reading {
  readonly caller: { readonly realm: CallerRealm }
  readonly sql: Queries
  readonly deps: Deps
}

/** It says the same to everybody. */
const stateOf = async ({ caller, sql, deps }: Reading): Promise<SectionData<typeof contract>> => {
  const row = (await realmById(sql, caller.realm.id))!
  const [shown] = await shownSettings(sql, [row.settings])
  const realm = { ...row, settings: shown! }
  const settings = settingsInForce(realm)
  const { Email, LDAP } = methodsInForce(realm)
  const demoEnd = await demoEndOf(sql, realm.id)
  return {
    ...named(settings),
    ...named(permissionsInForce(realm)),
    realm_name: realm.name,
    realm_description: realm.description,
    realm_uri: caller.realm.url,
    realm_url: caller.realm.url,
    realm_uuid: realm.uuid,
    realm_bot_domain: realmHost(deps.publicUrl, realm.subdomain),
    realm_date_created: realm.date_created,
    ...looksOf(realm),
    ...legacyPolicies(realm),
    ...serverFields(settings, deps.deletionBounds),
    realm_password_auth_enabled: Email || (LDAP && deps.directory !== undefined),
    realm_email_auth_enabled: Email,
    realm_authentication_methods: methodsOffered(realm, deps),
    realm_allow_edit_history: settings.message_edit_history_visibility_policy !== 'none',
    realm_mandatory_topics: settings.topics_policy === 'disable_empty_topic',
    realm_empty_topic_display_name: emptyTopicDisplayName,
    realm_owner_full_content_access: await hasFullContentAccess(sql, realm.id),
    realm_available_video_chat_providers: {
      disabled: { name: 'None', id: 0 },
      jitsi_meet: { name: 'Jitsi Meet', id: 1 },
      ...(deps.bigBlueButton === undefined ? {} : { big_blue_button: { name: 'BigBlueButton', id: 4 } }),
    },
    zulip_plan_is_not_limited: true,
    development_environment: deps.isDevelopment,
    server_supported_permission_settings: {
      realm: structuredClone(realmPermissions) as never,
      stream: structuredClone(channelPermissionSettings) as never,
      group: structuredClone(groupPermissions) as never,
    },
    password_min_length: limits.minPasswordLength,
    password_max_length: limits.maxPasswordLength,
    ...(demoEnd === undefined ? {} : { demo_organization_scheduled_deletion_date: demoEnd }),
  }
}

export const realmSection = section(contract, stateOf, ({ realm, ...rest }) =>
  stateOf({ caller: { realm }, ...rest }),
)
