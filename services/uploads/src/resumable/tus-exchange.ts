import type { Readable } from 'node:stream'
import { ApiError, EngineUnavailableError, type KnownCaller, refuse } from '@parley/contracts'
import { type RequestFacts, StreamedReply } from '@parley/kit'
import type { Deps } from '../room.ts'
import { demandVersion, TusRefusal, tusVersion } from './protocol-rules.ts'
import type { UploadRow } from './upload-store.ts'

/** What every request of the protocol is handled with. */
export interface TusScene {
  readonly deps: Deps
  readonly caller: KnownCaller
  readonly request: RequestFacts
}

/** "The Tus-Resumable header MUST be included in every request and response". */
const always = { 'tus-resumable': tusVersion, 'cache-control': 'no-store' }

export const tusReply = (
  status: number,
  headers: Readonly<Record<string, string>>,
  content: Readable | Buffer | null = null,
): StreamedReply => new StreamedReply(status, { ...always, ...headers }, content)

/** Answers a request of the protocol, refusals included. */
export const inProtocol = async (
  { headers, method }: RequestFacts,
  work: () => Promise<StreamedReply>,
): Promise<StreamedReply> => {
  try {
    demandVersion(headers)
    return await work()
  } catch (error) {
    if (error instanceof TusRefusal) {
      const body = { result: 'error', msg: error.message, code: 'BAD_REQUEST' }
      const type = { 'content-type': 'application/json' }
      const content = method === 'HEAD' ? null : Buffer.from(JSON.stringify(body))
      return tusReply(error.status, { ...type, ...error.headers }, content)
    }
    if (error instanceof EngineUnavailableError) {
      const sentence = 'The server cannot answer this right now. Please try again.'
      throw new ApiError('SERVER_NOT_READY', sentence, {}, { ...always, 'retry-after': '2' })
    }
    if (error instanceof ApiError) {
      throw new ApiError(error.error, error.message, error.fields, { ...error.headers, ...always })
    }
    // The sender left, or sent less than it had said; nobody may read this.
    if (isCut(error)) throw refuse('BAD_REQUEST', 'The request is malformed.')
    throw error
  }
}

const isCut = (error: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(
    String((error as { code?: unknown }).code),
  )

/** Where an upload is, below the origin that the client asks. */
export const uploadAddress = (id: string): string => `/api/v1/tus/${id}`

/** "Upload-Expires: the time after which the unfinished upload expires"; what is finished is a file, and stays. */
export const expiry = ({ is_finished, path_id, expires_at }: UploadRow): Record<string, string> =>
  is_finished && path_id !== null ? {} : { 'upload-expires': expires_at.toUTCString() }

/** What a finished upload became: the same object as the answer of `POST /user_uploads`. */
const resultOf = ({ path_id, name }: UploadRow) => {
  const url = `/user_uploads/${path_id}`
  return { result: 'success', msg: '', url, uri: url, filename: name }
}

/** Where the file is that an upload became. */
export const filePlace = ({ is_finished, path_id }: UploadRow): Record<string, string> =>
  is_finished && path_id !== null ? { 'content-location': `/user_uploads/${encodeURI(path_id)}` } : {}

/**
 * The answer to a request after which an upload has so many bytes. Only what became a file has a body: clients read the
 * address from the answer to whichever request was the last.
 */
export const progressReply = (
  status: { whileUnfinished: number; whenFinished: number },
  upload: UploadRow,
  headers: Readonly<Record<string, string>> = {},
): StreamedReply => {
  const all = { 'upload-offset': String(upload.bytes), ...expiry(upload), ...headers }
  if (!upload.is_finished || upload.path_id === null) return tusReply(status.whileUnfinished, all)
  const body = Buffer.from(JSON.stringify(resultOf(upload)))
  const type = { 'content-type': 'application/json', ...filePlace(upload) }
  return tusReply(status.whenFinished, { ...all, ...type }, body)
}
