import type { Database } from '@parley/db'
import { conditions, type Holdings, type Row, type TableHolding } from './holdings.ts'
import { inTransaction } from './transaction.ts'

/** Rows that one transaction deletes: done long before anybody waits for their locks. */
const rowsAtOnce = 2000

/** Deletes up to `rowsAtOnce` rows. @returns how many. */
const deleteSome = (
  database: Database,
  holding: TableHolding<never>,
  condition: string,
  parameter: number | readonly unknown[],
): Promise<number> =>
  inTransaction(database, async (tx) => {
    const gone = (await tx.sql.unsafe(
      `DELETE FROM ${holding.table} WHERE ctid = ANY (ARRAY(
         SELECT t.ctid FROM ${holding.table} AS t WHERE ${condition} LIMIT ${rowsAtOnce} FOR UPDATE))
       RETURNING to_jsonb(${holding.table}) AS row`,
      [parameter as never],
    )) as unknown as { row: Row }[]
    if (gone.length > 0)
      await holding.release?.(
        gone.map(({ row }) => row),
        tx,
      )
    return gone.length
  })

/**
 * Deletes all that a service holds of an organization, in many small transactions; whatever is cut off goes on where it
 * was when it is begun again. What hangs on a row goes with that row, found by its column and not by a search for all
 * that is the organization's.
 */
export const purgeHoldings = async <Deps>(
  parts: { database: Database; holdings: Holdings<Deps>; deps: Deps },
  realmId: number,
  /** Told now and then how many rows are gone since the last time. */
  onProgress: (rows: number) => void = () => {},
): Promise<void> => {
  const { database, holdings, deps } = parts
  const tables = holdings.tables as unknown as TableHolding<never>[]
  const { ofRealm } = conditions({ tables })
  const drain = async (step: () => Promise<number>): Promise<void> => {
    for (;;) {
      const count = await step()
      if (count === 0) return
      onProgress(count)
    }
  }
  /** Deletes what refers to some values of a table's column, from the leaves on. */
  const deleteBelow = async (table: string, row: string, values: readonly unknown[]): Promise<void> => {
    for (const child of tables.toReversed()) {
      if (!('of' in child.belongs) || child.belongs.of !== table) continue
      const { column, its = 'id' } = child.belongs
      if (its !== row) continue
      const grandchildren = tables.filter(({ belongs }) => 'of' in belongs && belongs.of === child.table)
      const condition = `t.${column} = ANY ($1)`
      for (const key of new Set(
        grandchildren.map(({ belongs }) => ('of' in belongs ? (belongs.its ?? 'id') : 'id')),
      )) {
        await eachBatch(child, condition, values, key, (found) => deleteBelow(child.table, key, found))
      }
      await drain(() => deleteSome(database, child, condition, values))
    }
  }
  /** Goes through the values of a column of the rows that fit, in its order. */
  const eachBatch = async (
    { table }: TableHolding<never>,
    condition: string,
    parameter: number | readonly unknown[],
    column: string,
    work: (values: unknown[]) => Promise<void>,
  ): Promise<void> => {
    for (let after = 0; ; ) {
      const found = (await database.sql.unsafe(
        `SELECT DISTINCT t.${column} AS value FROM ${table} AS t
         WHERE ${condition} AND t.${column} > $2 ORDER BY 1 LIMIT ${rowsAtOnce}`,
        [parameter as never, after],
      )) as unknown as { value: number }[]
      if (found.length === 0) return
      await work(found.map(({ value }) => value))
      after = found.at(-1)!.value
    }
  }
  for (const holding of tables.toReversed()) {
    // Those that hang on others go with them.
    if ('of' in holding.belongs) continue
    const condition = ofRealm(holding)
    for (const column of holding.loosens ?? []) {
      await database.sql.unsafe(
        `UPDATE ${holding.table} AS t SET ${column} = NULL WHERE ${condition} AND t.${column} IS NOT NULL`,
        [realmId],
      )
    }
    const keys = new Set(
      tables.flatMap(({ belongs }) =>
        'of' in belongs && belongs.of === holding.table ? [belongs.its ?? 'id'] : [],
      ),
    )
    for (const key of keys) {
      await eachBatch(holding, condition, realmId, key, (values) => deleteBelow(holding.table, key, values))
    }
    await drain(() => deleteSome(database, holding, condition, realmId))
  }
  for (const place of holdings.elsewhere ?? []) await place.purge(realmId, deps)
}

/** How many rows, objects and keys of an organization there are; what there is none of is left out. */
export const tracesOf = async <Deps>(
  parts: { database: Database; holdings: Holdings<Deps>; deps: Deps },
  realmId: number,
): Promise<Record<string, number>> => {
  const { holdings, deps, database } = parts
  const tables = holdings.tables as unknown as TableHolding<never>[]
  const { ofRealm } = conditions({ tables })
  const traces: Record<string, number> = {}
  for (const holding of tables) {
    const [found] = (await database.sql.unsafe(
      `SELECT count(*)::int AS rows FROM ${holding.table} AS t WHERE ${ofRealm(holding)}`,
      [realmId],
    )) as unknown as { rows: number }[]
    if (found!.rows > 0) traces[holding.table] = found!.rows
  }
  for (const { what, count } of holdings.elsewhere ?? []) {
    const left = await count(realmId, deps)
    if (left > 0) traces[what] = left
  }
  return traces
}
