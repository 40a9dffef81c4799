import type { z } from 'zod'
import type { config } from '../config.ts'
import { type Directory, openDirectory } from './directory.ts'

/** The directory that the configuration names, if it names one. */
export const directoryOf = async (settings: z.output<typeof config>): Promise<Directory | undefined> =>
  settings.LDAP_URL === ''
    ? undefined
    : openDirectory({
        url: settings.LDAP_URL,
        startTls: settings.LDAP_START_TLS === 'on',
        caFile: settings.LDAP_CA_FILE,
        bindDn: settings.LDAP_BIND_DN,
        bindPassword: settings.LDAP_BIND_PASSWORD,
        userDn: settings.LDAP_USER_DN,
        base: settings.LDAP_BASE,
        nameAttribute: settings.LDAP_NAME_ATTRIBUTE,
        emailAttribute: settings.LDAP_EMAIL_ATTRIBUTE,
        fullNameAttribute: settings.LDAP_FULL_NAME_ATTRIBUTE,
        activeFilter: settings.LDAP_ACTIVE_FILTER,
      })
