import { Readable } from 'node:stream'
import {
  type AnyEndpoint,
  type AnyInternal,
  type Caller,
  refuse,
  routedParameters,
  routerPath,
  SectionOptions,
  type ServiceContract,
  servedRoot,
} from '@parley/contracts'
import { attributes } from '@parley/contracts/telemetry-names'
import type { Database } from '@parley/db'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { z } from 'zod'
import { demandAccess } from './access.ts'
import { callerHeader, type TokenVerifier, tokenVerifier, type VerifiedToken } from './caller-token.ts'
import type { BaseConfig } from './config.ts'
import { endpointCall } from './endpoint-call.ts'
import { refusalFor } from './error-answer.ts'
import { requestDuration } from './metrics.ts'
import { type RequestLinks, requestLinks } from './request-links.ts'
import {
  acceptClientBodies,
  keepBytes,
  leaveBodiesAlone,
  queryParameters,
  questionWithBytes,
  sentFiles,
  sentParameters,
} from './request-parameters.ts'
import {
  type Handler,
  type InternalHandler,
  type RequestFacts,
  type SectionHandler,
  StreamedReply,
} from './room.ts'
import { sectionState } from './section-state.ts'
import type { ServiceDefinition } from './service.ts'
import { inServerSpan } from './telemetry.ts'
import { inTransaction, type Tx } from './transaction.ts'

interface ServerParts {
  readonly contract: ServiceContract
  // biome-ignore lint/suspicious/noExplicitAny: the handlers' own types were checked where they were listed.
  readonly definition: ServiceDefinition<any, any, any>
  readonly deps: unknown
  readonly config: BaseConfig
  readonly log: Logger
}

type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

const transactionsOf = (deps: unknown, contract: ServiceContract): Transact => {
  const { database } = deps as { database?: Database }
  return (work) => {
    if (database === undefined) throw new Error(`${contract.name} has no database`)
    return inTransaction(database, work)
  }
}

const verifiedToken = async (
  { headers }: Pick<FastifyRequest, 'headers'>,
  verifier: TokenVerifier,
): Promise<VerifiedToken> => {
  const header = headers[callerHeader]
  const verified = typeof header === 'string' ? await verifier.verify(header) : undefined
  if (verified === undefined) throw refuse('UNAUTHORIZED', 'This door opens to the gateway only.')
  return verified
}

/** Made only for who asks: connections live long, and most requests do not care whether their client is gone. */
const requestFacts = (request: FastifyRequest, reply: FastifyReply): RequestFacts => {
  let controller: AbortController | undefined
  return {
    id: request.id,
    method: request.method,
    url: request.url,
    headers: request.headers,
    body: request.raw,
    files: (onField) => sentFiles(request, onField),
    get gone() {
      if (controller !== undefined) return controller.signal
      const made = new AbortController()
      controller = made
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) made.abort()
      })
      return made.signal
    },
  }
}

const answerJson = (reply: FastifyReply, status: number, text: string): void => {
  void reply.code(status).header('content-type', 'application/json').send(text)
}

/** Bytes of a request's head: what the gateway takes from clients (64 KiB), and what it adds. */
const maxHeaderSize = 96 * 1024

/**
 * Who calls an endpoint, and may.
 *
 * @throws ApiError as `demandAccess`; UNAUTHORIZED when nobody is named.
 */
const admitted = (endpoint: AnyEndpoint, { caller }: VerifiedToken): Caller => {
  if (caller === null) throw refuse('UNAUTHORIZED', 'A caller is missing.')
  demandAccess(endpoint.access, caller, endpoint.webhookBots)
  return caller
}

/** A request whose caller is known, and may call. */
type Admitted = FastifyRequest & { admitted: Caller | null }

/** The HTTP interface of a service, and the links over which gateways ask what takes long, or is asked all the time. */
type ServiceServer = FastifyInstance & { readonly links: RequestLinks }

/** Builds the HTTP interface of a service from its contract and handlers; it does not listen yet. */
export const buildServer = async (parts: ServerParts): Promise<ServiceServer> => {
  const { contract, definition, deps, config, log } = parts
  const server = Fastify({
    logger: false,
    bodyLimit: 32 * 1024 * 1024,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    http: { maxHeaderSize },
  })
  server.decorateRequest('admitted', null)
  await acceptClientBodies(server)
  const verifier = tokenVerifier(config)
  const transaction = transactionsOf(deps, contract)
  const handlers = Object.entries(definition.endpoints) as [string, Handler<AnyEndpoint, unknown>][]
  const calls = new Map(
    handlers.map(([operation, handler]) => [
      operation,
      endpointCall(operation, handler, { deps, transaction, config, log }),
    ]),
  )

  const serveEndpoint = (
    router: FastifyInstance,
    operation: string,
    handler: Handler<AnyEndpoint, unknown>,
  ): void => {
    const { endpoint } = handler
    const call = calls.get(operation)!

    router.route({
      method: endpoint.method === 'GET' && endpoint.answer === 'stream' ? ['GET', 'HEAD'] : endpoint.method,
      url: `${servedRoot(endpoint)}${routerPath(endpoint)}`,
      exposeHeadRoute: false,
      // Before a byte of the body is read: who may not call need not be listened to.
      onRequest: async (request, reply) => {
        try {
          const token = await verifiedToken(request, verifier)
          ;(request as Admitted).admitted = admitted(endpoint, token)
        } catch (error) {
          const refusal = refusalFor(error, log, operation)
          requestDuration.observe({ operation, status: refusal.status }, 0)
          answerJson(reply, refusal.status, JSON.stringify(refusal.body()))
        }
      },
      handler: async (request, reply) => {
        const answer = await call({
          caller: (request as Admitted).admitted!,
          request: requestFacts(request, reply),
          parameters: async () => ({
            ...(endpoint.body === 'stream'
              ? { sent: queryParameters(request.query as Record<string, unknown>) }
              : await sentParameters(request, endpoint.file)),
            inPath: routedParameters(endpoint, request.params as Record<string, string>),
          }),
        })
        if (answer instanceof StreamedReply) {
          // Undefined is no body; null would be JSON.
          void reply
            .code(answer.status)
            .headers(answer.headers)
            .send(answer.content ?? undefined)
        } else if (typeof answer === 'string') answerJson(reply, 200, answer)
        else {
          void reply.headers(answer.headers)
          answerJson(reply, answer.status, JSON.stringify(answer.body()))
        }
        return reply
      },
    })
  }

  const serveInternal = (
    router: FastifyInstance,
    { name, callers, takes, answers }: Pick<AnyInternal, 'name' | 'callers' | 'takes' | 'answers'>,
    answer: (body: unknown, token: VerifiedToken) => Promise<unknown>,
  ): void => {
    router.post(`/internal/${name}`, async (request, reply) => {
      const operation = `internal ${name}`
      const end = requestDuration.startTimer({ operation })
      await inServerSpan(operation, request.headers, { [attributes.method]: 'POST' }, async () => {
        try {
          const token = await verifiedToken(request, verifier)
          if (token.caller !== null || !callers.includes(token.issuer)) {
            throw refuse('ACCESS_DENIED', `${token.issuer} may not call ${name}.`)
          }
          const given = await answer(takes === 'bytes' ? questionWithBytes(request) : request.body, token)
          if (answers === 'stream') {
            const content =
              given instanceof Readable
                ? given
                : Readable.from(given as AsyncIterable<Uint8Array>, { objectMode: false })
            // What goes wrong later ends the connection, which is all that the asker can be told.
            content.on('error', (error) => log.warn({ err: error, operation }, 'an answer broke off'))
            void reply.header('content-type', 'application/octet-stream').send(content)
          } else answerJson(reply, 200, JSON.stringify(given))
        } catch (error) {
          const refusal = refusalFor(error, log, operation)
          const { error: kind, message: msg, fields } = refusal
          answerJson(reply, refusal.status, JSON.stringify({ error: kind, msg, fields }))
        }
        end({ status: reply.statusCode })
      })
      return reply
    })
  }

  const streamed = handlers.filter(([, { endpoint }]) => endpoint.body === 'stream')
  for (const [operation, handler] of handlers) {
    if (handler.endpoint.body !== 'stream') serveEndpoint(server, operation, handler)
  }
  const internals = Object.values(definition.internals) as InternalHandler<AnyInternal, unknown>[]
  const serveQuestion = (router: FastifyInstance, handler: InternalHandler<AnyInternal, unknown>): void => {
    const { internal } = handler
    const answer = async (body: unknown, token: VerifiedToken): Promise<unknown> => {
      const input = internal.input.safeParse(body)
      if (!input.success) throw refuse('BAD_REQUEST', z.prettifyError(input.error))
      const output = await handler.handle({
        input: input.data,
        issuer: token.issuer,
        deps,
        refuse,
        transaction,
      })
      return config.CHECK_REPLIES ? internal.output.parse(output) : output
    }
    serveInternal(router, internal, answer)
  }
  for (const handler of internals) {
    if (handler.internal.takes === 'json') serveQuestion(server, handler)
  }
  const sections = Object.values(definition.sections) as SectionHandler<never, unknown>[]
  if (sections.length > 0) {
    serveInternal(
      server,
      { name: 'register-state', callers: ['event-queue'], takes: 'json', answers: 'stream' },
      sectionState({ sections, deps, options: SectionOptions }),
    )
  }

  server.get('/health', (_request, reply) => answerJson(reply, 200, '{"result":"success","msg":""}'))
  server.setNotFoundHandler((_request, reply) => {
    answerJson(reply, 404, JSON.stringify(refuse('NOT_FOUND', 'Not found').body()))
  })
  server.setErrorHandler((error, _request, reply) => {
    const refusal = refusalFor(error, log, 'unrouted')
    answerJson(reply, refusal.status, JSON.stringify(refusal.body()))
  })
  await server.register(async (router) => {
    keepBytes(router)
    for (const handler of internals) {
      if (handler.internal.takes === 'bytes') serveQuestion(router, handler)
    }
  })
  await server.register(async (router) => {
    leaveBodiesAlone(router)
    for (const [operation, handler] of streamed) serveEndpoint(router, operation, handler)
  })
  const linked = handlers.filter(([, { endpoint }]) => endpoint.longPoll || endpoint.brief)
  const links = requestLinks(server.server, {
    endpoints: new Map(
      linked.map(([operation, { endpoint }]) => [
        operation,
        { endpoint, admit: (token) => admitted(endpoint, token), call: calls.get(operation)! },
      ]),
    ),
    verifier,
    log,
  })
  return Object.assign(server as FastifyInstance, { links })
}
