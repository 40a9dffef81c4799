import { z } from 'zod'
import { internal } from '../internal.ts'
import { ExportType } from '../objects/realm-export.ts'

export { reportPurge } from './realm-lifecycle.ts'

const Export = z.object({
  export_id: z.int(),
  realm_id: z.int(),
  export_type: ExportType,
  state: z.enum(['pending', 'finished', 'failed', 'deleted']),
  /** Where the archive is in the object store; null while there is none. */
  object_key: z.string().nullable(),
  bytes: z.int().nullable(),
  attempts: z.int(),
  /** What went wrong last. */
  error: z.string().nullable(),
})

/** Begins an export that administrators are not told of; an operator may have everything. */
export const exportForOperator = internal({
  service: 'identity',
  name: 'export-for-operator',
  callers: ['manage'],
  input: z.object({ realm: z.string(), export_type: ExportType }),
  output: Export,
  errors: ['NONEXISTENT_SUBDOMAIN'],
})

export const showExport = internal({
  service: 'identity',
  name: 'show-export',
  callers: ['manage'],
  input: z.object({ export_id: z.int() }),
  output: Export,
  errors: ['BAD_REQUEST'],
})

/** Whether owners may export everything that was ever written in their organization. */
export const setContentAccess = internal({
  service: 'identity',
  name: 'set-content-access',
  callers: ['manage'],
  input: z.object({ realm: z.string(), is_given: z.boolean() }),
  output: z.object({ realm_id: z.int() }),
  errors: ['NONEXISTENT_SUBDOMAIN'],
})

const Progress = z.record(z.string(), z.object({ rows: z.int(), is_done: z.boolean() }))

/** How far the end of the organization at a subdomain has come; of the latest one, when several had it. */
export const purgeStatus = internal({
  service: 'identity',
  name: 'purge-status',
  callers: ['manage'],
  input: z.object({ realm: z.string() }),
  output: z.object({
    realm_id: z.int(),
    subdomain: z.string(),
    /** `waiting`: its data is deleted at `deletion_due_at`. `kept`: deactivated, and nothing is deleted. */
    state: z.enum(['active', 'kept', 'waiting', 'purging', 'purged']),
    /** ISO 8601, as the others. */
    deletion_due_at: z.string().nullable(),
    begun_at: z.string().nullable(),
    finished_at: z.string().nullable(),
    services: Progress,
  }),
  errors: ['NONEXISTENT_SUBDOMAIN'],
})

/** What is left of an organization in any service, by service and kind; nothing when nothing is. */
export const traces = internal({
  service: 'identity',
  name: 'traces',
  callers: ['manage'],
  input: z.object({ realm_id: z.int() }),
  output: z.object({ traces: z.record(z.string(), z.record(z.string(), z.int())) }),
  seconds: 120,
})

const Import = z.object({
  import_id: z.int(),
  realm_id: z.int(),
  stage: z.enum(['checking', 'taking_in', 'announcing', 'done', 'failed']),
  /** Bytes of the archive that are done with in this stage. */
  position: z.int(),
  total: z.int(),
  attempts: z.int(),
  error: z.string().nullable(),
})

/** Begins to make an organization of an archive that lies in the object store. */
export const beginImport = internal({
  service: 'identity',
  name: 'begin-import',
  callers: ['manage'],
  input: z.object({
    subdomain: z.string(),
    archive_key: z.string(),
    as_stubs: z.boolean(),
  }),
  output: Import,
  errors: ['BAD_REQUEST'],
})

export const showImport = internal({
  service: 'identity',
  name: 'show-import',
  callers: ['manage'],
  input: z.object({ import_id: z.int() }),
  output: Import,
  errors: ['BAD_REQUEST'],
})
