import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

export interface NameServer {
  /** Address and port, as WEBHOOK_DNS_SERVERS takes them. */
  readonly address: string
  /** What the name answers next, one list after another; the last for all further questions. */
  answer(name: string, ...lists: (readonly string[])[]): void
  /** How often a name was asked for, by kind of address (4 or 6). */
  asked(name: string, family: 4 | 6): number
  stop(): Promise<void>
}

const kinds = { 1: 4, 28: 6 } as const
const headerBytes = 12

const nameIn = (question: Buffer): { name: string; end: number } => {
  const labels: string[] = []
  let place = headerBytes
  while (question[place] !== 0) {
    const length = question[place]!
    labels.push(question.toString('latin1', place + 1, place + 1 + length))
    place += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: place + 1 }
}

/** A name server on this machine that says what a test wants (RFC 1035, A and AAAA only); in truth, as an attacker's. */
export const startNameServer = async (): Promise<NameServer> => {
  const lists = new Map<string, (readonly string[])[]>()
  const questions = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, end } = nameIn(question)
    const family = kinds[question.readUInt16BE(end) as keyof typeof kinds]
    const count = questions.get(`${name}/${family}`) ?? 0
    questions.set(`${name}/${family}`, count + 1)
    const known = lists.get(name) ?? []
    const current = known[Math.min(count, known.length - 1)] ?? []
    const records = current
      .map((text) => ipaddr.parse(text))
      .filter((found) => (found.kind() === 'ipv4' ? 4 : 6) === family)
      .map((found) => {
        const bytes = Buffer.from(found.toByteArray())
        const record = Buffer.alloc(12)
        record.writeUInt16BE(0xc00c, 0)
        record.writeUInt16BE(family === 4 ? 1 : 28, 2)
        record.writeUInt16BE(1, 4)
        record.writeUInt16BE(bytes.length, 10)
        return Buffer.concat([record, bytes])
      })
    const header = Buffer.from(question.subarray(0, headerBytes))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    header.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([header, question.subarray(headerBytes, end + 4), ...records]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answer: (name, ...given) => void lists.set(name, given),
    asked: (name, family) => questions.get(`${name}/${family}`) ?? 0,
    stop: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
