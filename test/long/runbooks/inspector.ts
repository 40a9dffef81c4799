import { once } from 'node:events'
import { eventually } from '@parley/testkit'

/** The inspector of a process that was asked for it by SIGUSR1, as developer tools use it. */
export class Inspector {
  readonly #socket: WebSocket
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
  }

  static async open(port: number): Promise<Inspector> {
    const list = `http://127.0.0.1:${port}/json/list`
    const [target] = (await eventually(async () => (await fetch(list)).json())) as [
      { webSocketDebuggerUrl: string },
    ]
    const socket = new WebSocket(target.webSocketDebuggerUrl)
    await once(socket, 'open')
    return new Inspector(socket)
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  async call(method: string, params: object = {}): Promise<any> {
    this.#last += 1
    const id = this.#last
    const answer = new Promise((resolve, reject) => {
      const take = ({ data }: MessageEvent): void => {
        const message = JSON.parse(String(data))
        if (message.id !== id) return
        this.#socket.removeEventListener('message', take)
        if (message.error === undefined) resolve(message.result)
        else reject(new Error(`${method}: ${message.error.message}`))
      }
      this.#socket.addEventListener('message', take)
    })
    this.#socket.send(JSON.stringify({ id, method, params }))
    return answer
  }

  close(): void {
    this.#socket.close()
  }
}
