import {
  type AnyEndpoint,
  type ApiError,
  type Caller,
  type KnownCaller,
  parameterReader,
  refuse,
} from '@parley/contracts'
import { attributes as names } from '@parley/contracts/telemetry-names'
import type { Logger } from 'pino'
import { z } from 'zod'
import { refusalFor } from './error-answer.ts'
import { ignoredParameters, requestDuration } from './metrics.ts'
import { sentInPieces } from './reply-pieces.ts'
import { type Handler, PiecedReply, PreparedReply, type RequestFacts, StreamedReply } from './room.ts'
import { inServerSpan } from './telemetry.ts'
import type { Tx } from './transaction.ts'

/** One call of an endpoint by somebody who may call it, however it got here. */
export interface Call {
  readonly caller: Caller
  readonly request: RequestFacts
  /** What the client sent, and what stands in the path. */
  readonly parameters: () => Promise<{
    sent: Record<string, unknown>
    inPath: Record<string, string>
    file?: Buffer
  }>
}

/** The text of a success, what is answered piece by piece, or the refusal. */
export type Outcome = string | StreamedReply | ApiError

/** The client's own name for itself, where it sends one, goes before the one its User-Agent gives. */
const withClientOverride = (caller: Caller, sent: Record<string, unknown>): Caller =>
  typeof sent.client === 'string' && sent.client !== ''
    ? { ...caller, client: sent.client.slice(0, 30) }
    : caller

const frameworkErrors = new Set([
  'REQUEST_VARIABLE_MISSING',
  'REQUEST_CONFUSING_VAR',
  'INVALID_JSON',
  'UNAUTHORIZED_PRINCIPAL',
])

/** How an endpoint is called: reads the parameters, runs the handler, writes the answer, measures and traces. Never fails. */
export const endpointCall = (
  operation: string,
  { endpoint, handle }: Handler<AnyEndpoint, unknown>,
  parts: {
    readonly deps: unknown
    readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
    readonly config: { readonly CHECK_REPLIES: boolean }
    readonly log: Logger
  },
): ((call: Call) => Promise<Outcome>) => {
  const { deps, transaction, config, log } = parts
  const read = parameterReader(endpoint.params, endpoint.aliases)
  const replyShape = config.CHECK_REPLIES ? z.strictObject(endpoint.reply) : undefined
  const allowed = new Set<string>([...endpoint.errors, 'BAD_REQUEST', ...frameworkErrors])
  const attributes = { [names.method]: endpoint.method, [names.route]: endpoint.path }

  const checkShape = (whole: Record<string, unknown>): void => {
    const { result: _r, msg: _m, ignored_parameters_unsupported: _i, ...fields } = whole
    replyShape?.parse(fields)
  }

  const run = async ({ caller, request, parameters }: Call): Promise<string | StreamedReply> => {
    const { sent, inPath, file } = await parameters()
    const { values, ignored } = read(sent, inPath)
    const answer = await handle({
      caller: withClientOverride(caller, sent) as KnownCaller,
      params: values as never,
      file,
      deps,
      refuse: refuse as never,
      transaction: transaction as never,
      request,
    })
    if (answer instanceof StreamedReply !== (endpoint.answer === 'stream')) {
      throw new Error(`${operation} does not answer as it is declared to`)
    }
    if (answer instanceof StreamedReply) return answer
    if (ignored.length > 0) ignoredParameters.inc({ operation }, ignored.length)
    const close = (text: string): string =>
      ignored.length === 0
        ? text
        : `${text.slice(0, -1)},"ignored_parameters_unsupported":${JSON.stringify(ignored)}}`
    if (answer instanceof PiecedReply) {
      const onBroken = (err: Error): void => log.warn({ err, operation }, 'an answer broke off')
      const check = replyShape === undefined ? undefined : (whole: string) => checkShape(JSON.parse(whole))
      return sentInPieces(answer, { close, check, onBroken })
    }
    if (answer instanceof PreparedReply) {
      if (replyShape !== undefined) checkShape(JSON.parse(answer.text))
      return close(answer.text)
    }
    checkShape(answer as Record<string, unknown>)
    return close(JSON.stringify({ result: 'success', msg: '', ...(answer as object) }))
  }

  return (call) => {
    const end = requestDuration.startTimer({ operation })
    return inServerSpan(operation, call.request.headers, attributes, async (span) => {
      let outcome: Outcome
      let status = 200
      try {
        outcome = await run(call)
        if (outcome instanceof StreamedReply) status = outcome.status
      } catch (error) {
        outcome = refusalFor(error, log, operation)
        status = outcome.status
        if (config.CHECK_REPLIES && status === 400 && !allowed.has(outcome.error)) {
          // In tests, an error that the contract does not list is a mistake of ours, said loudly.
          log.error({ operation, error: outcome.error }, 'undeclared error')
        }
        span.setAttribute(names.errorCode, outcome.code)
      }
      span.setAttribute(names.status, status)
      end({ status })
      return outcome
    })
  }
}
