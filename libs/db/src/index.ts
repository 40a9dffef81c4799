export {
  type Database,
  type OutboxRow,
  openDatabase,
  type SnapshotSql,
  type Sql,
  type Transaction,
  type TransactionSql,
} from './database.ts'
export { isUniqueViolation } from './postgres-errors.ts'
export { isVisible, parseSnapshot, type Snapshot } from './snapshot.ts'
