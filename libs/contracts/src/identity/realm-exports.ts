import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { ExportTypeParameter, RealmExport } from '../objects/realm-export.ts'
import { Id } from '../objects/values.ts'
import { realmExport } from './events.ts'

export const exportRealm = endpoint({
  method: 'POST',
  path: '/export/realm',
  service: 'identity',
  summary: 'Begin an export of the organization.',
  access: 'administrator',
  params: { export_type: ExportTypeParameter.default('public') },
  reply: { id: z.int() },
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [realmExport],
})

export const listRealmExports = endpoint({
  method: 'GET',
  path: '/export/realm',
  service: 'identity',
  summary: 'List the exports of the organization.',
  access: 'administrator',
  params: {},
  reply: { exports: z.array(RealmExport) },
  errors: ['UNAUTHORIZED_PRINCIPAL'],
})

export const removeRealmExport = endpoint({
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  service: 'identity',
  summary: 'Delete an export that is complete.',
  access: 'administrator',
  params: { export_id: Id },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [realmExport],
})

export const listExportConsents = endpoint({
  method: 'GET',
  path: '/export/realm/consents',
  service: 'identity',
  summary: 'Who agreed to the export of their private data.',
  since: 295,
  access: 'administrator',
  params: {},
  reply: {
    export_consents: z.array(
      z.strictObject({
        user_id: z.int(),
        consented: z.boolean(),
        email_address_visibility: z.int(),
      }),
    ),
  },
  errors: ['UNAUTHORIZED_PRINCIPAL'],
})

export const downloadRealmExport = endpoint({
  method: 'GET',
  path: '/exports/{token}/{name}',
  root: 'server',
  doors: 'open',
  service: 'identity',
  summary: 'An export, at an address that was given to an administrator some time ago.',
  access: 'anyone',
  answer: 'stream',
  params: { token: z.string(), name: z.string() },
  reply: {},
  errors: ['ACCESS_DENIED'],
})
