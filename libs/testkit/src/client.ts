import { Agent, request } from 'undici'
import { noteSecrets } from './known-secrets.ts'

/** One connection pool for all clients of a test process; long-polls outlast undici's usual time-outs. */
const agent = new Agent({ headersTimeout: 120_000, bodyTimeout: 120_000, connections: 2000 })

export type Parameters = Record<string, unknown>

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any
}

export interface Credentials {
  readonly email: string
  readonly key: string
}

/** Encodes parameters as the Python client does: JSON, unless the value is a string already. */
export const encodeParameters = (parameters: Parameters): string =>
  new URLSearchParams(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
  ).toString()

/**
 * A client of the public interface, as a person or a bot would run it. It speaks HTTP to the gateway and knows
 * nothing of what is behind it.
 */
export class Client {
  readonly credentials: Credentials | undefined
  readonly host: string
  readonly origin: string

  /** `origin` is where to connect, `host` the organization's host name (the Host header). */
  constructor(origin: string, host: string, credentials?: Credentials) {
    this.origin = origin
    this.host = host
    this.credentials = credentials
  }

  get(path: string, parameters: Parameters = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const query = encodeParameters(parameters)
    return this.send('GET', query === '' ? path : `${path}?${query}`, undefined, headers)
  }

  post(path: string, parameters: Parameters = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#form('POST', path, parameters, headers)
  }

  patch(path: string, parameters: Parameters = {}): Promise<Answer> {
    return this.#form('PATCH', path, parameters)
  }

  put(path: string, parameters: Parameters = {}): Promise<Answer> {
    return this.#form('PUT', path, parameters)
  }

  delete(path: string, parameters: Parameters = {}): Promise<Answer> {
    return this.#form('DELETE', path, parameters)
  }

  #form(method: string, path: string, parameters: Parameters, headers: Record<string, string> = {}) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.send(method, path, encodeParameters(parameters), { ...type, ...headers })
  }

  /** Sends one request below `/api/v1`; every answer, refusals included, is returned. */
  async send(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await this.sendRaw(method, `/api/v1${path}`, body, headers)
    let parsed: unknown
    try {
      parsed = JSON.parse(answer.text)
    } catch {
      throw new Error(
        `${method} ${path} answered ${answer.status} with what is not JSON: ${answer.text.slice(0, 200)}`,
      )
    }
    return { status: answer.status, headers: answer.headers, body: parsed }
  }

  /** Sends one request to any address of the server; the answer may be of any type. */
  async sendRaw(
    method: string,
    target: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Answer['headers']; text: string }> {
    const { credentials } = this
    const answer = await request(`${this.origin}${target}`, {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        host: this.host,
        'user-agent': 'ParleyTest/1.0',
        ...(credentials === undefined
          ? {}
          : {
              authorization: `Basic ${Buffer.from(`${credentials.email}:${credentials.key}`).toString('base64')}`,
            }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.body.text()
    noteSecrets({ target, key: credentials?.key, sent: headers, body, received: answer.headers, text })
    return { status: answer.statusCode, headers: answer.headers, text }
  }
}

/** The body of an answer that has to be a success. */
export const succeeded = async (answer: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body } = await answer
  if (status !== 200 || body.result !== 'success') {
    throw new Error(`expected success, got ${status} ${JSON.stringify(body)}`)
  }
  return body
}
