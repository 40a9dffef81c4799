import { parse } from 'node:querystring'
import multipart from '@fastify/multipart'
import {
  ApiError,
  bytesType,
  EngineUnavailableError,
  type FileParameter,
  fileTooLarge,
  parseBoundedJson,
} from '@parley/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LinkedQuestion } from './link-frames.ts'
import type { SentFile } from './room.ts'

/** Bytes of a body that is not a file: a bot's storage (10,000,000 characters), percent-encoded at worst. */
export const bodyLimit = 32 * 1024 * 1024

/** Parameters of one request; a form of nothing but names would cost far more than it weighs. */
const maxParameters = 1000

const tooManyParameters = (): ApiError => new ApiError('BAD_REQUEST', 'There are too many parameters.')

const hasTooManyFields = (form: string): boolean => {
  let fields = 1
  for (let at = form.indexOf('&'); at !== -1; at = form.indexOf('&', at + 1)) fields += 1
  return fields > maxParameters
}

/** @throws ApiError BAD_REQUEST */
const parsedForm = (form: string): Record<string, unknown> => {
  if (hasTooManyFields(form)) throw tooManyParameters()
  return parse(form, '&', '=', { maxKeys: 0 })
}

/** Teaches a server the bodies that clients send: forms of both kinds, JSON, and nothing under any type. */
export const acceptClientBodies = async (server: FastifyInstance): Promise<void> => {
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    (_request, text, done) => {
      try {
        done(null, parsedForm(text as string))
      } catch (error) {
        done(error as ApiError)
      }
    },
  )
  await server.register(multipart, { limits: { fields: maxParameters, fieldSize: bodyLimit, files: 20 } })
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit },
    (_request, text, done) => {
      if (text === '') return done(null, {})
      try {
        done(null, parseBoundedJson(text as string))
      } catch (error) {
        done(error instanceof ApiError ? error : new ApiError('INVALID_JSON', 'Malformed JSON'))
      }
    },
  )
  // A type that carries no parameters: whatever it holds is not for us.
  server.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, _body, done) =>
    done(null, {}),
  )
}

/** Bytes of a part of a multipart body that a handler streams: the handler sets the limit. */
const unlimited = Number.MAX_SAFE_INTEGER

/** Leaves bodies to the handlers, whatever they are; multipart ones are theirs to take apart (`sentFiles`). */
export const leaveBodiesAlone = (server: FastifyInstance): void => {
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', '*']) {
    server.removeContentTypeParser(type)
  }
  server.addContentTypeParser('*', (_request, _body, done) => done(null))
}

/** Keeps bodies as bytes, for questions of other services that are about bytes. */
export const keepBytes = (server: FastifyInstance): void => {
  server.addContentTypeParser(bytesType, { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
    done(null, body),
  )
}

/** What was asked about the bytes in the body. @throws ApiError BAD_REQUEST, INVALID_JSON */
export const questionWithBytes = ({ query, body }: FastifyRequest): Record<string, unknown> => {
  const { question } = query as Record<string, unknown>
  const asked = typeof question === 'string' ? parseBoundedJson(question) : undefined
  if (!isObject(asked)) throw new ApiError('BAD_REQUEST', 'There is no question in the address.')
  return { ...asked, bytes: body ?? Buffer.alloc(0) }
}

/** The rest of a body that nobody reads would stand in the way of the next request on the connection. */
const passOver = ({ raw }: FastifyRequest): void => {
  raw.unpipe()
  raw.resume()
}

/**
 * The files of a multipart body as they arrive; none when it is no multipart body.
 *
 * @throws ApiError BAD_REQUEST when it is malformed or breaks off.
 */
export async function* sentFiles(
  request: FastifyRequest,
  onField: (name: string, value: string) => void = () => {},
): AsyncIterable<SentFile> {
  if (!request.isMultipart()) return
  try {
    const limits = { fileSize: unlimited, files: maxParameters, fieldSize: 1024 * 1024 }
    for await (const part of request.parts({ limits })) {
      if (part.type !== 'file') {
        onField(part.fieldname, String(part.value))
        continue
      }
      const { fieldname: field, filename, mimetype: type, file: content } = part
      // Whoever reads it meets the error; it is the client's.
      const isClients = (error: Error): Error => Object.assign(error, { statusCode: 400 })
      if (content.errored) isClients(content.errored)
      else content.on('error', isClients)
      yield { field, name: filename === '' ? undefined : filename, type, content }
      // Whatever nobody wanted stands in the way of the next part.
      if (!content.readableEnded && !content.destroyed) content.resume()
    }
  } catch (error) {
    if (isOwnError(error)) throw error
    throw new ApiError('BAD_REQUEST', 'The request is malformed.')
  } finally {
    passOver(request)
  }
}

/** Errors of the consumer come back through the generator's caller only; these are the parser's own. */
const isOwnError = (error: unknown): boolean =>
  error instanceof ApiError || error instanceof EngineUnavailableError

const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value)

const mib = 1024 * 1024

/** A small file, whole. */
const fileContent = async (sent: AsyncIterable<Buffer>, { mebibytes }: FileParameter): Promise<Buffer> => {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of sent) {
    length += piece.length
    if (length > mebibytes * mib) throw fileTooLarge(mebibytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

interface SentForm {
  readonly fields: Record<string, unknown>
  readonly file?: Buffer
}

const multipartForm = async (request: FastifyRequest, wanted: FileParameter | null): Promise<SentForm> => {
  const fields: Record<string, unknown> = {}
  let file: Buffer | undefined
  try {
    for await (const part of request.parts()) {
      // A form in which no file was chosen has a file without a name.
      if (part.type === 'file' && (wanted === null || !part.filename)) part.file.resume()
      else if (part.type === 'file') {
        if (file !== undefined) throw new ApiError('BAD_REQUEST', wanted!.several)
        file = await fileContent(part.file, wanted!)
      } else
        Object.defineProperty(fields, part.fieldname, {
          value: part.value,
          enumerable: true,
          configurable: true,
        })
    }
  } catch (error) {
    passOver(request)
    // Limits have a status; whatever else the parser finds is the client's mistake too.
    if (isOwnError(error) || (error as { statusCode?: number }).statusCode !== undefined) throw error
    throw new ApiError('BAD_REQUEST', 'The request is malformed.')
  }
  return { fields, ...(file === undefined ? {} : { file }) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parameters of a request whose body is not looked at. */
export const queryParameters = (query: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const sent: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(query)) sent[name] = lastOf(query[name])
  return sent
}

/** All parameters of a request that came over a link, form before query. @throws ApiError BAD_REQUEST */
export const linkedParameters = ({
  query,
  form,
}: Pick<LinkedQuestion, 'query' | 'form'>): Record<string, unknown> => {
  const sent = queryParameters(parse(query, '&', '=', { maxKeys: 0 }))
  return form === undefined ? sent : Object.assign(sent, queryParameters(parsedForm(form)))
}

/**
 * All parameters of a request, body before query. A repeated name counts once, with its last value. Values of a
 * JSON body keep their types. With them comes the file that a multipart body holds, where one is wanted.
 */
export const sentParameters = async (
  request: FastifyRequest,
  wanted: FileParameter | null,
): Promise<{ sent: Record<string, unknown>; file?: Buffer }> => {
  const form = request.isMultipart() ? await multipartForm(request, wanted) : undefined
  const body = form === undefined ? request.body : form.fields
  if (body !== undefined && body !== null && !isObject(body)) {
    throw new ApiError('BAD_REQUEST', 'A JSON body must be an object holding the parameters.')
  }
  const sent = queryParameters(request.query as Record<string, unknown>)
  const isJson = request.headers['content-type']?.startsWith('application/json') ?? false
  if (isObject(body))
    for (const name of Object.keys(body)) sent[name] = isJson ? body[name] : lastOf(body[name])
  return { sent, ...(form?.file === undefined ? {} : { file: form.file }) }
}
