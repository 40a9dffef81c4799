import { columnsOf, conditions, type Holdings, unlistedTables } from '@parley/kit/holdings'
import { expect } from 'vitest'
import { ownDatabase } from './own-database.ts'

/** Columns whose name says that they hold an ID of something that archives number anew. */
const isReference = (column: string): boolean =>
  /(^|_)(user|owner|sender|creator|author|bot|channel|recipient|message|folder|group|subgroup|field|attachment)_id$/.test(
    column,
  )

/**
 * Compares a service's list with its tables: each is in it, belongs to organizations in a way that SQL understands, and
 * no column that refers to something is forgotten when rows are taken in.
 */
export const expectWholeList = async (listed: Holdings<never> | Holdings<unknown>): Promise<void> => {
  const holdings = listed as Holdings<never>
  const own = await ownDatabase(holdings.service)
  try {
    const { sql } = own.database
    expect(await unlistedTables(sql, holdings)).toEqual([])
    const { ofRealm, inArchive } = conditions(holdings)
    for (const holding of holdings.tables) {
      const { table, key, belongs, archived, gives = [], rewrites = {}, secret = [], veiled = {} } = holding
      const columns = await columnsOf(sql, table)
      const named = [
        ...key,
        ...('realm' in belongs ? [belongs.realm] : 'column' in belongs ? [belongs.column] : []),
        ...gives.map(({ column }) => column),
        ...Object.keys(rewrites),
        ...secret,
        ...Object.keys(veiled),
      ]
      expect([table, named.filter((column) => !columns.includes(column))]).toEqual([table, []])
      // A table with the organization's ID belongs to it, whatever else it does.
      if (columns.includes('realm_id')) {
        const rows = await sql.unsafe(
          `SELECT count(*)::int AS rows FROM ${table} AS t WHERE ${ofRealm(holding)}`,
          [1],
        )
        expect(rows[0]?.rows).toBe(0)
      }
      if (archived === 'never') continue
      for (const type of ['public', 'full_with_consent', 'full_without_consent'] as const) {
        await sql.unsafe(
          `SELECT FROM ${table} AS t WHERE ${inArchive(holding, type)} AND $2::bigint[] IS NOT NULL`,
          [1, [2]],
        )
      }
      const handled = new Set([
        ...gives.map(({ column }) => column),
        ...Object.keys(rewrites),
        ...secret,
        'realm' in belongs ? belongs.realm : '',
      ])
      expect([table, columns.filter((column) => isReference(column) && !handled.has(column))]).toEqual([
        table,
        [],
      ])
    }
  } finally {
    await own.drop()
  }
}
