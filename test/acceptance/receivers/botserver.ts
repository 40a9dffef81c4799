import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@parley/testkit'
import { request } from 'undici'
import { pythonWithClients } from '../../running/python-clients.ts'

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

export interface Botserver {
  readonly url: string
  /** Serves a bot of the package's collection under its account. */
  serve(bot: string, account: { email: string; key: string; site: string; token: string }): Promise<void>
  stop(): Promise<void>
}

/** The published package `zulip-botserver`, unmodified, on a port of its own; it has to know its bots when it starts. */
export const prepareBotserver = async (): Promise<Botserver> => {
  const python = await pythonWithClients()
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'parley-bots-'))
  let child: ChildProcess | undefined
  return {
    url: `http://127.0.0.1:${port}/`,
    async serve(bot, { email, key, site, token }) {
      const file = join(folder, 'botserverrc')
      writeFileSync(file, `[${bot}]\nemail=${email}\nkey=${key}\nsite=${site}\ntoken=${token}\n`)
      child = spawn(
        python,
        [
          '-m',
          'zulip_botserver.server',
          '--config-file',
          file,
          '--hostname',
          '127.0.0.1',
          '--port',
          String(port),
        ],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      let log = ''
      for (const stream of [child.stdout!, child.stderr!]) {
        stream.on('data', (text) => {
          log = `${log}${text}`.slice(-4000)
        })
      }
      await eventually(async () => {
        if (child!.exitCode !== null) throw new Error(`the bot server ended: ${log}`)
        await (await request(`http://127.0.0.1:${port}/`)).body.dump()
      }, 60)
    },
    async stop() {
      if (child !== undefined && child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
