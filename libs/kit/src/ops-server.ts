import { createServer, type Server } from 'node:http'
import { metricsText } from './metrics.ts'

/** Milliseconds that one engine has to answer a readiness question. */
const readyTimeout = 2000

export interface Watched {
  readonly name: string
  ready(): Promise<void>
}

const within = async (watched: Watched): Promise<string | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), readyTimeout)
  })
  try {
    await Promise.race([watched.ready(), late])
    return undefined
  } catch (error) {
    return `${watched.name}: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    clearTimeout(timer)
  }
}

/**
 * What an orchestrator asks. `/health`: the process lives (asks no engine: an engine that is away must not restart
 * the fleet). `/ready`: it can serve; 503 naming what is away, and while it drains. `/metrics`: Prometheus.
 */
export const opsServer = (watched: () => readonly Watched[], isDraining: () => boolean): Server =>
  createServer(async (request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    switch (request.url) {
      case '/health':
        return answer(200, { alive: true })
      case '/ready': {
        if (isDraining()) return answer(503, { ready: false, away: ['draining'] })
        const away = (await Promise.all(watched().map(within))).filter((finding) => finding !== undefined)
        return answer(away.length === 0 ? 200 : 503, { ready: away.length === 0, away })
      }
      case '/metrics':
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(await metricsText())
        return
      default:
        return answer(404, { msg: 'Not found' })
    }
  })
