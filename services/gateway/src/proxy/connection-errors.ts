import { ApiError, EngineUnavailableError, refuse } from '@parley/contracts'

const unmade = new Set([
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const cut = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

export const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** The connection was never made: what was asked has had no effect. */
export const neverConnected = (error: unknown): boolean => unmade.has(codeOf(error))

/** The connection ended before an answer began: what was asked may have had its effect. */
export const wasCutOff = (error: unknown): boolean => cut.has(codeOf(error))

/** What the client is told of a connection's error. */
export const asRefusal = (error: unknown): ApiError | EngineUnavailableError => {
  if (error instanceof ApiError || error instanceof EngineUnavailableError) return error
  switch (codeOf(error)) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return refuse('SERVER_NOT_READY', 'The server took too long to answer.')
    case 'UND_ERR_INVALID_ARG':
      return refuse('BAD_REQUEST', 'The request is malformed.')
    default:
      return new EngineUnavailableError('service', { cause: error })
  }
}
