export {
  callerHeader,
  type TokenSigner,
  type TokenVerifier,
  tokenSigner,
  tokenVerifier,
} from './caller-token.ts'
export { type BaseConfig, baseConfig, ConfigError, engineSettings, flag, readConfig } from './config.ts'
export { type Ask, internalClient } from './internal-client.ts'
export type { Opening } from './opening.ts'
export { Pages, wholeFields } from './pages.ts'
export {
  type Context,
  type InternalContext,
  PiecedReply,
  PreparedReply,
  type RequestFacts,
  room,
  type SentFile,
  StreamedReply,
  type WithDatabase,
} from './room.ts'
export { run } from './run.ts'
export { defineService, type Running, type ServiceDefinition } from './service.ts'
export { announcing, inTransaction, type Tx, topicRow } from './transaction.ts'
