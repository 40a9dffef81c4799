import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import {
  realmExportConsent,
  realmUserAdd,
  realmUserUpdate,
  userGroupAddMembers,
  userGroupRemoveMembers,
} from './events.ts'

export const getServerSettings = endpoint({
  method: 'GET',
  path: '/server_settings',
  service: 'identity',
  summary: 'What a client needs to know of the server and the organization before anybody logs in.',
  access: 'anyone',
  realmless: true,
  params: {},
  reply: {
    authentication_methods: z.record(z.string(), z.boolean()),
    external_authentication_methods: z.array(
      z.strictObject({
        name: z.string(),
        display_name: z.string(),
        display_icon: z.string().nullable(),
        login_url: z.string(),
        signup_url: z.string(),
      }),
    ),
    service_feature_level: z.int(),
    zulip_feature_level: z.int(),
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    push_notifications_enabled: z.boolean(),
    is_incompatible: z.boolean(),
    email_auth_enabled: z.boolean(),
    require_email_format_usernames: z.boolean(),
    realm_url: z.string(),
    realm_uri: z.string(),
    /** These three only where an organization lives at the host. */
    realm_name: z.string().optional(),
    realm_icon: z.string().optional(),
    realm_description: z.string().optional(),
    realm_web_public_access_enabled: z.boolean(),
  },
  errors: ['NONEXISTENT_SUBDOMAIN'],
})

const KeyReply = { api_key: z.string(), email: z.string(), user_id: z.int() }

export const fetchApiKey = endpoint({
  method: 'POST',
  path: '/fetch_api_key',
  service: 'identity',
  summary: 'Exchange a user name and a password for the API key.',
  access: 'anyone',
  params: { username: z.string(), password: z.string() },
  logInName: 'username',
  reply: KeyReply,
  errors: [
    'AUTHENTICATION_FAILED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
    'PASSWORD_AUTH_DISABLED',
    'PASSWORD_RESET_REQUIRED',
  ],
  emits: [realmUserAdd, realmUserUpdate, realmExportConsent, userGroupAddMembers, userGroupRemoveMembers],
})

export const devFetchApiKey = endpoint({
  method: 'POST',
  path: '/dev_fetch_api_key',
  service: 'identity',
  summary: 'Development mode only: the API key of an account, by e-mail, without a password.',
  access: 'anyone',
  opensSession: true,
  params: { username: z.string() },
  reply: KeyReply,
  errors: ['AUTHENTICATION_FAILED', 'USER_DEACTIVATED', 'REALM_DEACTIVATED'],
  emits: [realmUserUpdate, userGroupAddMembers, userGroupRemoveMembers],
})

const DevAccount = z.strictObject({ email: z.string(), realm_url: z.string(), realm_uri: z.string() })

export const devListUsers = endpoint({
  method: 'GET',
  path: '/dev_list_users',
  service: 'identity',
  summary: 'Development mode only: with which e-mails one can log in without a password.',
  access: 'anyone',
  params: {},
  reply: { direct_admins: z.array(DevAccount), direct_users: z.array(DevAccount) },
})
