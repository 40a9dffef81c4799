import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from '@parley/testkit'
import { request } from 'undici'

export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

export interface Saying {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly delay?: number
  readonly hang?: boolean
}

/** A receiver in a process of its own, as a bot's server would be. */
export class Receiver {
  readonly url: string
  readonly #process: ChildProcess

  private constructor(url: string, process: ChildProcess) {
    this.url = url
    this.#process = process
  }

  static async start(): Promise<Receiver> {
    const child = fork(fileURLToPath(new URL('receiver-process.ts', import.meta.url)))
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new Receiver(`http://127.0.0.1:${port}`, child)
  }

  /** How it answers the next calls, one after another; the last is for all further ones. */
  async say(...sayings: Saying[]): Promise<void> {
    await (await request(`${this.url}/say`, { method: 'POST', body: JSON.stringify(sayings) })).body.dump()
  }

  /** What answers with a text. */
  async reply(content: string, more: object = {}): Promise<void> {
    await this.say({ body: JSON.stringify({ content, ...more }) })
  }

  /** All calls at a path. */
  async calls(path: string): Promise<ReceivedCall[]> {
    const answer = await request(`${this.url}/calls`)
    return ((await answer.body.json()) as ReceivedCall[]).filter((call) => call.path === path)
  }

  /** The call number `count` at a path, once it has arrived. */
  call(path: string, count = 1, seconds = 20): Promise<ReceivedCall> {
    return eventually(async () => {
      const call = (await this.calls(path))[count - 1]
      if (call === undefined) throw new Error(`no call ${count} at ${path} yet`)
      return call
    }, seconds)
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}
