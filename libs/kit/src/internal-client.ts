import { context, propagation } from '@opentelemetry/api'
import {
  type AnyInternal,
  ApiError,
  bytesType,
  EngineUnavailableError,
  type ErrorName,
  errors,
  type InputOf,
  type OutputOf,
} from '@parley/contracts'
import { Pool } from 'undici'
import { callerHeader, type TokenSigner } from './caller-token.ts'
import { type BaseConfig, urlSetting } from './config.ts'

export type Ask = <I extends AnyInternal>(internal: I, input: InputOf<I>) => Promise<OutputOf<I>>

const errorNames = new Set<string>(Object.keys(errors))

/**
 * Calls other services by their internal contracts. Replicas are used in turn; one that does not answer is
 * passed over once.
 *
 * @returns a function that throws ApiError when the other service refused, EngineUnavailableError when none answered.
 */
export const internalClient = ({
  config,
  signer,
}: {
  config: Partial<Record<string, unknown>> | BaseConfig
  signer: TokenSigner
}): Ask => {
  const pools = new Map<string, Pool[]>()
  let turn = 0

  const poolsOf = (setting: string): Pool[] => {
    const known = pools.get(setting)
    if (known !== undefined) return known
    const urls = (config as Record<string, string[] | undefined>)[setting]
    if (urls === undefined) throw new Error(`${setting} is not configured`)
    const made = urls.map((url) => new Pool(url, { connections: 32 }))
    pools.set(setting, made)
    return made
  }

  return async (internal, input) => {
    const replicas = poolsOf(urlSetting(internal.service))
    const { path, type, body } = asked(internal, input)
    const headers: Record<string, string> = {
      'content-type': type,
      [callerHeader]: await signer.sign(null),
    }
    propagation.inject(context.active(), headers)
    const request = {
      method: 'POST' as const,
      path,
      headers,
      body,
      headersTimeout: internal.seconds * 1000,
      bodyTimeout: internal.seconds * 1000,
    }
    turn += 1
    let failure: unknown
    for (let attempt = 0; attempt < Math.max(2, replicas.length); attempt += 1) {
      try {
        const answer = await replicas[(turn + attempt) % replicas.length]!.request(request)
        if (internal.answers === 'stream' && answer.statusCode === 200) {
          return answer.body as OutputOf<typeof internal>
        }
        const body = (await answer.body.json()) as Record<string, unknown>
        if (answer.statusCode === 200) return body as OutputOf<typeof internal>
        if (answer.statusCode === 503) throw new EngineUnavailableError(internal.service)
        const { error, msg, fields } = body as {
          error?: string
          msg?: string
          fields?: Record<string, unknown>
        }
        if (error !== undefined && errorNames.has(error)) {
          throw new ApiError(error as ErrorName, msg ?? error, fields ?? {})
        }
        throw new Error(`${internal.service} answered ${answer.statusCode} to ${internal.name}`)
      } catch (error) {
        if (isBroken(error)) throw new EngineUnavailableError(internal.service, { cause: error })
        if (!isUnreachable(error)) throw error
        failure = error
      }
    }
    throw new EngineUnavailableError(internal.service, { cause: failure })
  }
}

/** A question as it is sent. */
const asked = (internal: AnyInternal, input: unknown) => {
  const path = `/internal/${internal.name}`
  if (internal.takes === 'json') return { path, type: 'application/json', body: JSON.stringify(input) }
  const { bytes, ...question } = input as { bytes: Uint8Array }
  const query = new URLSearchParams({ question: JSON.stringify(question) })
  return { path: `${path}?${query}`, type: bytesType, body: bytes }
}

/** The connection ended, or nothing came over it, after the question was asked. */
const isBroken = (error: unknown): boolean => {
  const { code } = error as { code?: string }
  return (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    /^UND_ERR_(SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT)$/.test(code ?? '')
  )
}

/** Only a connection that was never made is tried again: the question may have had an effect. */
const isUnreachable = (error: unknown): boolean => {
  const code = (error as { code?: string }).code
  return (
    error instanceof EngineUnavailableError || code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT'
  )
}
