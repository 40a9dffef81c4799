import { z } from 'zod'
import { event } from '../event.ts'
import { RealmExport } from '../objects/realm-export.ts'

/** The exports of the organization changed; its administrators are told all of them. */
export const realmExport = event({ type: 'realm_export', fields: { exports: z.array(RealmExport) } })

/** Somebody agreed to the export of their private data, or does not any more; administrators are told. */
export const realmExportConsent = event({
  type: 'realm_export_consent',
  since: 312,
  fields: { user_id: z.int(), consented: z.boolean() },
})
