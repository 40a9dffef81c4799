/**
 * The data of a whole organization, as services hand it out and take it in: for exports, imports, and the end. Each
 * service names once what it holds (`holdings` of libs/kit); these questions, the same for each, are answered from that.
 */
import { z } from 'zod'
import { internal, internalStream } from './internal.ts'
import { ExportType } from './objects/realm-export.ts'
import type { ServiceName } from './services.ts'

/** The services that hold data of organizations in a database, in the order in which an archive has them. */
export const dataHolders = [
  'identity',
  'channels',
  'uploads',
  'invitations',
  'presence',
  'webhook-dispatcher',
] as const satisfies readonly ServiceName[]
export type DataHolder = (typeof dataHolders)[number]

/** Whose end has to be waited for when an organization is deleted: those, and who keeps queues in Redis. */
export const purgers = [...dataHolders, 'event-queue'] as const satisfies readonly ServiceName[]
export type Purger = (typeof purgers)[number]

/** What an archive is to hold, and whose private data. */
export const ArchiveScope = z.object({
  export_type: ExportType,
  /** Accounts that agreed to the export of their private data; of no meaning unless `full_with_consent`. */
  consenting: z.array(z.int()),
})
export type ArchiveScope = z.infer<typeof ArchiveScope>

/** From which to which ID the things of one kind go in an archive. */
export const IdRange = z.object({ least: z.int(), most: z.int() })
export type IdRange = z.infer<typeof IdRange>

/** How IDs of one kind become those of another organization: `by` is added to those from `least` to `most`. */
const IdShift = IdRange.extend({ by: z.int() })
export const IdShifts = z.record(z.string(), IdShift)
export type IdShifts = z.infer<typeof IdShifts>

/** The last entry of a service's part of an archive: `<service>/part.json`. */
export const PartSummary = z.object({
  service: z.string(),
  /** Rows by table. */
  rows: z.record(z.string(), z.int()),
  /** Files, and their bytes. */
  files: z.int(),
  bytes: z.int(),
  ids: z.record(z.string(), IdRange),
})
export type PartSummary = z.infer<typeof PartSummary>

/** The last entry of an archive: `manifest.json`. */
export const ArchiveManifest = z.object({
  format: z.literal('parley-organization-1'),
  feature_level: z.int(),
  export_type: ExportType,
  realm: z.object({ id: z.int(), subdomain: z.string(), name: z.string(), url: z.string() }),
  /** ISO 8601: when the first service was read; each is read in one moment of its own. */
  exported_at: z.string(),
  parts: z.array(PartSummary),
  /** Entries before this one. */
  entries: z.int(),
})
export type ArchiveManifest = z.infer<typeof ArchiveManifest>

/** Bytes of one piece of a table in an archive, give or take a row: what both sides hold in memory. */
export const pieceBytes = 2 * 1024 * 1024

const realm = { realm_id: z.int().positive() }

/** What every holder answers to identity. */
export const dataQuestions = <const Service extends DataHolder>(service: Service) => ({
  /** This service's part of an archive: entries of a tar without its end, the summary last; one moment of the database. */
  readRealm: internalStream({
    service,
    name: 'read-realm',
    callers: ['identity'],
    input: z.object({ ...realm, ...ArchiveScope.shape }),
  }),
  /** Keeps ranges of IDs free for an import, for ever: what has to be added to the archive's. */
  reserveIds: internal({
    service,
    name: 'reserve-ids',
    callers: ['identity'],
    input: z.object({ ids: z.record(z.string(), IdRange) }),
    output: z.object({ shifts: IdShifts }),
    errors: ['BAD_REQUEST'],
  }),
  /** Takes in rows of one table of an archive; those that are there already are left alone. */
  takeInRows: internal({
    service,
    name: 'take-in-rows',
    callers: ['identity'],
    input: z.object({
      ...realm,
      /** Host of the organization, without a port. */
      realm_host: z.string(),
      /** Which organization the rows are of. */
      origin: z.object({ realm_id: z.int(), url: z.string() }),
      shifts: IdShifts,
      /** People become stubs: accounts that stand for senders until somebody logs in. */
      as_stubs: z.boolean(),
      table: z.string(),
      rows: z.array(z.record(z.string(), z.json())),
    }),
    output: z.object({}),
    errors: ['BAD_REQUEST'],
    seconds: 60,
  }),
  /** Makes what follows from the rows that were taken in, which is not in archives. */
  settleRealm: internal({
    service,
    name: 'settle-realm',
    callers: ['identity'],
    input: z.object(realm),
    output: z.object({}),
    seconds: 60,
  }),
  /** How many things of an organization there are here, by what they are; those that there are none of are left out. */
  realmTraces: internal({
    service,
    name: 'realm-traces',
    callers: ['identity'],
    input: z.object(realm),
    output: z.object({ traces: z.record(z.string(), z.int()) }),
    seconds: 60,
  }),
})

/** Of services that keep nothing in a database. */
export const traceQuestion = <const Service extends Purger>(service: Service) => ({
  realmTraces: internal({
    service,
    name: 'realm-traces',
    callers: ['identity'],
    input: z.object(realm),
    output: z.object({ traces: z.record(z.string(), z.int()) }),
    seconds: 60,
  }),
})
