import type { ArchiveScope, DataHolder, IdShifts } from '@parley/contracts/realm-data'
import type { SnapshotSql, Sql, TransactionSql } from '@parley/db'
import type { Tx } from './transaction.ts'

/**
 * What a service holds of organizations, named once: exports, imports, the end of an organization and the proof that
 * nothing is left of it all follow this list. A table that is in no list fails a test (`unlistedTables`).
 */
export interface Holdings<Deps = unknown> {
  readonly service: DataHolder
  /** Parents before what refers to them: the order of an archive, and of taking it in; the end goes backwards. */
  readonly tables: readonly TableHolding<Deps>[]
  /** Tables that hold nothing of any organization: progress, work of the whole server. */
  readonly serverWide: readonly string[]
  /** What is held outside of the database. */
  readonly elsewhere?: readonly Elsewhere<Deps>[]
  /** Makes what archives leave out because it follows from the rest; once all rows are taken in. Can be repeated. */
  readonly settle?: (realmId: number, deps: Deps) => Promise<void>
}

export type Row = Record<string, unknown>

/** How a table's rows belong to an organization. */
type Belonging =
  /** A column has its ID. */
  | { readonly realm: string }
  /** As the row of another table does that a column refers to; `its` is that table's column, `id` unless given. */
  | { readonly column: string; readonly of: string; readonly its?: string }
  /** A condition on `t`; `$1` is the organization's ID. */
  | { readonly where: string }

/**
 * Which rows archives have besides those of everything: conditions on `t`, where `$2` are the accounts that agreed;
 * `true` for all. Rows that belong to a row of a table that is archived itself are there only if that one is.
 */
interface Archived {
  /** Public exports: what every member may see. None when not given. */
  readonly public?: true | string
  /** Exports with consent, besides the public ones. */
  readonly consented?: true | string
}

/** Makes a value of an archive one of the organization that it is taken into. */
export type Rewriting = (value: unknown, context: TakingIn) => unknown

export interface TakingIn {
  readonly realmId: number
  readonly realmHost: string
  readonly origin: { readonly realm_id: number; readonly url: string }
  readonly shifts: IdShifts
  /** People become stubs. */
  readonly asStubs: boolean
}

/** A column that gives the IDs of one kind; `sequence` when it is not the column's own. */
interface Given {
  readonly kind: string
  readonly column: string
  readonly sequence?: string
}

export interface TableHolding<Deps = unknown> {
  readonly table: string
  readonly belongs: Belonging
  /** Columns that tell its rows apart, and the order of archives. */
  readonly key: readonly string[]
  /** The order of archives where it is not that of the key, on `t`. */
  readonly order?: string
  /**
   * `never`: copies of what others own, secrets, what is made again, and work on its way. Else it is in archives of
   * everything, and in others as said.
   */
  readonly archived: Archived | 'never'
  /** Columns that no archive has. */
  readonly secret?: readonly string[]
  /** What others than archives of everything have instead of a column: expressions on `t`. */
  readonly veiled?: Readonly<Record<string, string>>
  /** IDs that its columns give. */
  readonly gives?: readonly Given[]
  /** Columns to be rewritten when they are taken in; those of the organization's ID are known. */
  readonly rewrites?: Readonly<Record<string, Rewriting>>
  /** Completes rows that are taken in, after they were rewritten; may leave some out. */
  readonly complete?: (rows: Row[], context: TakingIn, deps: Deps) => Promise<Row[]>
  /** What SQL cannot say of which rows an archive has. */
  readonly narrow?: (rows: Row[], realmId: number, scope: ArchiveScope, deps: Deps) => Promise<Row[]>
  /** Objects of the store that rows stand for; `key` is where, `entry` their name in an archive. */
  readonly files?: (rows: Row[], deps: Deps) => Promise<HeldFile[]>
  /** Runs in the transaction that deletes rows for good. */
  readonly release?: (rows: Row[], tx: Tx) => Promise<void>
  /** Columns that refer to rows of the same table; emptied before any of them is deleted. */
  readonly loosens?: readonly string[]
}

export interface HeldFile {
  /** Below the service's folder. */
  readonly entry: string
  readonly size: number
  read(): Promise<AsyncIterable<Uint8Array>>
}

/** Objects of the store, keys of Redis. */
interface Elsewhere<Deps = unknown> {
  readonly what: string
  /** Repeated until nothing is left. */
  purge(realmId: number, deps: Deps): Promise<void>
  count(realmId: number, deps: Deps): Promise<number>
}

type AnySql = Sql | TransactionSql | SnapshotSql

const renamed = (condition: string, alias: string): string => condition.replaceAll(/\bt\./g, `${alias}.`)

/** Conditions of a service's tables; `$1` is the organization, `$2` the accounts that agreed. */
export const conditions = (holdings: Pick<Holdings<never>, 'tables'>) => {
  const byName = new Map(holdings.tables.map((holding) => [holding.table, holding]))

  const own = (
    { archived }: TableHolding<never>,
    type: ArchiveScope['export_type'],
    alias: string,
  ): string => {
    if (type === 'full_without_consent' || archived === 'never') return 'true'
    const wishes = type === 'public' ? [archived.public] : [archived.public, archived.consented]
    const terms = wishes.filter((wish) => wish !== undefined)
    if (terms.length === 0) return 'false'
    return `(${terms.map((term) => (term === true ? 'true' : renamed(term, alias))).join(' OR ')})`
  }

  const belonging = (
    { belongs }: TableHolding<never>,
    alias: string,
    ofParent: (parent: TableHolding<never>, alias: string) => string,
  ): string => {
    if ('realm' in belongs) return `${alias}.${belongs.realm} = $1`
    if ('where' in belongs) return `(${renamed(belongs.where, alias)})`
    const parent = byName.get(belongs.of)
    if (parent === undefined) throw new Error(`${belongs.of} is not among the holdings`)
    const inner = `${alias}p`
    return `${alias}.${belongs.column} IN (
      SELECT ${inner}.${belongs.its ?? 'id'} FROM ${parent.table} AS ${inner} WHERE ${ofParent(parent, inner)})`
  }

  const ofRealm = (holding: TableHolding<never>, alias = 't'): string => belonging(holding, alias, ofRealm)

  const inArchive = (holding: TableHolding<never>, type: ArchiveScope['export_type'], alias = 't'): string =>
    `${belonging(holding, alias, (parent, inner) => inArchive(parent, type, inner))} AND ${own(holding, type, alias)}`

  return { ofRealm, inArchive }
}

/** Tables of the service's database that neither are held nor are said to be the whole server's. */
export const unlistedTables = async (sql: AnySql, holdings: Holdings<never>): Promise<string[]> => {
  // Those of libs/db: what is announced goes out within seconds, and has positions and nothing else besides.
  const machinery = ['outbox', 'relay_state', 'inbox', 'migrations_house', 'migrations_service']
  const known = [...holdings.tables.map(({ table }) => table), ...holdings.serverWide, ...machinery]
  const rows = await sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`
  return rows.map(({ name }) => name).filter((name) => !known.includes(name))
}

/** Columns of a table, generated ones left out. */
export const columnsOf = async (sql: AnySql, table: string): Promise<string[]> => {
  const rows = await sql<{ name: string }[]>`
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ${table} AND is_generated = 'NEVER'
    ORDER BY ordinal_position`
  return rows.map(({ name }) => name)
}
