import { z } from 'zod'
import { quotable } from '../parameter.ts'

/** Feature level 449; before that they were numbers. */
export const exportTypes = ['public', 'full_with_consent', 'full_without_consent'] as const
export const ExportType = z.enum(exportTypes)
export type ExportType = z.infer<typeof ExportType>
export const ExportTypeParameter = quotable(ExportType)

/** An export as administrators see it. Times are UNIX seconds. */
export const RealmExport = z.strictObject({
  id: z.int(),
  acting_user_id: z.int(),
  export_time: z.number(),
  deleted_timestamp: z.number().nullable(),
  failed_timestamp: z.number().nullable(),
  /** Works for some time, for the viewer it was given to; null when there is nothing to be had. */
  export_url: z.string().nullable(),
  pending: z.boolean(),
  export_type: ExportType,
  /** The organization was imported since: the archive is not on this server. */
  export_from_prior_server: z.boolean(),
})
export type RealmExport = z.infer<typeof RealmExport>
