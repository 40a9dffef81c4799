import { EngineUnavailableError, limits, noRealm } from '@parley/contracts'
import { hasWebPublicChannels } from '@parley/contracts/channels/internals'
import { getServerSettings as contract } from '@parley/contracts/identity/accounts'
import { type Deps, endpoint } from '../room.ts'
import { pictureUrl } from './realm-looks.ts'
import { type RealmRow, realmById } from './realm-store.ts'
import { methodsInForce, settingsInForce } from './settings-in-force.ts'

/** The ways to log in that clients know (facts, section 2.1); those that are configured are true. */
const authenticationMethods = (
  isDevelopment: boolean,
  email: boolean,
  ldap: boolean,
): Record<string, boolean> => ({
  password: email || ldap,
  dev: isDevelopment,
  email,
  ldap,
  remoteuser: false,
  github: false,
  azuread: false,
  gitlab: false,
  google: false,
  apple: false,
  saml: false,
  'openid connect': false,
  discord: false,
})

/** Whether there is anything to see for people without an account. */
const showsItself = async (realm: RealmRow, { ask, log }: Deps): Promise<boolean> => {
  if (settingsInForce(realm).enable_spectator_access !== true) return false
  try {
    return (await ask(hasWebPublicChannels, { realm_id: realm.id })).exist
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    // Clients ask this before anybody logs in, which works without channels.
    log.warn({ err: error }, 'channels is away: whether there is a web-public channel is not known')
    return true
  }
}

export const getServerSettings = endpoint(contract, async ({ caller, deps, refuse }) => {
  const isRealmless = caller.realm.id === noRealm
  const realm = isRealmless ? undefined : await realmById(deps.database.sql, caller.realm.id)
  if (realm === undefined && !isRealmless) {
    throw refuse('NONEXISTENT_SUBDOMAIN', `There is no organization at ${caller.realm.url}.`)
  }
  const methods = realm === undefined ? undefined : methodsInForce(realm)
  const Email = methods?.Email ?? true
  const ldap = methods?.LDAP !== false && deps.directory !== undefined
  return {
    authentication_methods: authenticationMethods(deps.isDevelopment, Email, ldap),
    external_authentication_methods: [],
    service_feature_level: limits.featureLevel,
    zulip_feature_level: limits.featureLevel,
    zulip_version: limits.serverVersion,
    zulip_merge_base: limits.mergeBase,
    push_notifications_enabled: false,
    is_incompatible: false,
    email_auth_enabled: Email,
    require_email_format_usernames: !ldap,
    realm_url: caller.realm.url,
    realm_uri: caller.realm.url,
    ...(realm === undefined
      ? { realm_web_public_access_enabled: false }
      : {
          realm_name: realm.name,
          realm_icon: pictureUrl(realm, 'icon'),
          realm_description: realm.rendered_description,
          realm_web_public_access_enabled: await showsItself(realm, deps),
        }),
  }
})
