import { refuse } from '@parley/contracts'
import type { IdRange, IdShifts } from '@parley/contracts/realm-data'
import type { Database } from '@parley/db'
import { columnsOf, type Holdings, type Row, type TableHolding, type TakingIn } from './holdings.ts'

/** IDs that one import may keep free; more than that is no archive of this server's kind. */
const widestRange = 1_000_000_000_000

/**
 * Keeps ranges of IDs free for ever. While the sequence is altered nobody draws from it, so what is kept here is given to
 * nobody else.
 *
 * @throws ApiError BAD_REQUEST for kinds that are not given here, and ranges that are too wide.
 */
export const reserveIds = async <Deps>(
  database: Database,
  holdings: Holdings<Deps>,
  wishes: Readonly<Record<string, IdRange>>,
): Promise<IdShifts> => {
  const shifts: Record<string, IdShifts[string]> = {}
  for (const [kind, { least, most }] of Object.entries(wishes)) {
    const givers = holdings.tables.flatMap(({ table, gives = [] }) =>
      gives.map((given) => ({ table, ...given })),
    )
    const giver = givers.find((given) => given.kind === kind)
    const width = most - least + 1
    if (giver === undefined) throw refuse('BAD_REQUEST', `There are no IDs of ${kind} here.`)
    if (least < 1 || width < 1 || width > widestRange) {
      throw refuse('BAD_REQUEST', `The IDs of ${kind} are not those of an archive.`)
    }
    const { table, column, sequence } = giver
    const first = await database.transaction(async ({ sql }) => {
      const [found] = await sql<{ name: string }[]>`
        SELECT coalesce(${sequence ?? null}::regclass::text,
          pg_get_serial_sequence(${table}, ${column})) AS name`
      // The same increment as before: what counts is the lock that comes with it.
      await sql.unsafe(`ALTER SEQUENCE ${found!.name} INCREMENT BY 1`)
      const [at] = await sql.unsafe<{ next: number }[]>(
        `SELECT last_value + is_called::int AS next FROM ${found!.name}`,
      )
      await sql.unsafe(`ALTER SEQUENCE ${found!.name} RESTART WITH ${at!.next + width}`)
      return at!.next
    })
    shifts[kind] = { least, most, by: first - least }
  }
  return shifts
}

const rewritten = (holding: TableHolding<never>, row: Row, context: TakingIn): Row => {
  const { belongs, gives = [], rewrites = {}, secret = [] } = holding
  const made: Row = { ...row }
  for (const column of secret) delete made[column]
  for (const { kind, column } of gives) {
    const shift = context.shifts[kind]
    const id = made[column]
    if (shift === undefined || typeof id !== 'number' || id < shift.least || id > shift.most) {
      throw refuse('BAD_REQUEST', `A row of ${holding.table} has an ID that the archive did not tell of.`)
    }
    made[column] = id + shift.by
  }
  for (const [column, rewriting] of Object.entries(rewrites)) {
    if (made[column] !== undefined) made[column] = rewriting(made[column], context)
  }
  if ('realm' in belongs) made[belongs.realm] = context.realmId
  return made
}

/**
 * Takes in rows of an archive, rewritten to be the organization's. Rows that refer to what the archive does not have, and
 * rows that are there already, are left out; so the same rows may be given again.
 *
 * @throws ApiError BAD_REQUEST for a table that archives do not have, and rows that it cannot hold.
 */
export const takeInRows = async <Deps>(
  parts: { database: Database; holdings: Holdings<Deps>; deps: Deps },
  table: string,
  rows: readonly Row[],
  context: TakingIn,
): Promise<void> => {
  const holding = parts.holdings.tables.find((one) => one.table === table)
  if (holding === undefined || holding.archived === 'never') {
    throw refuse('BAD_REQUEST', `An archive has no ${table}.`)
  }
  let made = rows.map((row) => rewritten(holding as TableHolding<never>, row, context))
  // A reference that the row cannot do without, to something that is not there.
  made = made.filter((row) => holding.key.every((column) => row[column] !== null))
  if (holding.complete !== undefined) made = await holding.complete(made, context, parts.deps)
  if (made.length === 0) return
  const present = new Set(made.flatMap((row) => Object.keys(row)))
  const columns = (await columnsOf(parts.database.sql, table)).filter((column) => present.has(column))
  const list = columns.map((column) => `"${column}"`).join(', ')
  try {
    await parts.database.sql.unsafe(
      `INSERT INTO ${table} (${list}) OVERRIDING SYSTEM VALUE
       SELECT ${list} FROM jsonb_populate_recordset(NULL::${table}, $1::text::jsonb)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(made)],
    )
  } catch (error) {
    const { code } = ((error as Error).cause ?? error) as { code?: string }
    // What the row itself breaks; everything else is not the archive's fault.
    if (/^2[23]/.test(code ?? '')) {
      throw refuse('BAD_REQUEST', `Rows of ${table} cannot be taken in: ${(error as Error).message}`)
    }
    throw error
  }
}
