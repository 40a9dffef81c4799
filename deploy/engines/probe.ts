import { connect } from 'node:net'

const deadline = 2_000

/**
 * Sends `request` to a TCP server and returns the first bytes of its answer, at least `atLeast` of them;
 * undefined when it cannot be reached or does not answer within two seconds.
 */
export function firstAnswer(
  host: string,
  port: number,
  request: Buffer,
  atLeast: number,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const finish = (answer: Buffer | undefined) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => finish(undefined), deadline)
    let received = Buffer.alloc(0)
    socket.once('connect', () => socket.write(request))
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      if (received.length >= atLeast) finish(received)
    })
    socket.once('error', () => finish(undefined))
    socket.once('close', () => finish(undefined))
  })
}
