/**
 * A receiver of outgoing webhooks, run as a process of its own. It answers each call as the test says (`POST /say` with
 * `{status, headers, body, delay, hang}`) and keeps what it was sent (`GET /calls`).
 */
import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

interface Saying {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Milliseconds before it answers. */
  delay?: number
  /** Never answers. */
  hang?: boolean
}

const calls: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[] = []
let sayings: Saying[] = []

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const server = createServer(async (request, response) => {
  const body = await readText(request)
  if (request.url === '/say') {
    sayings = JSON.parse(body) as Saying[]
    response.end()
    return
  }
  if (request.url === '/calls') {
    response.end(JSON.stringify(calls))
    return
  }
  calls.push({ method: request.method!, path: request.url!, headers: request.headers, body })
  // The last one is for all further calls.
  const saying = sayings.length > 1 ? sayings.shift()! : (sayings[0] ?? {})
  if (saying.hang) return
  if (saying.delay !== undefined) await pause(saying.delay)
  response.writeHead(saying.status ?? 200, saying.headers ?? { 'content-type': 'application/json' })
  response.end(saying.body ?? '')
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as { port: number }).port })
})
process.on('disconnect', () => process.exit(0))
