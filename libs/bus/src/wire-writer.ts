/** What Kafka's protocol is written with (https://kafka.apache.org/protocol.html#protocol_types). */

/** A text, and how many bytes of UTF-8 it is. */
export interface Field {
  readonly text: string
  readonly bytes: number
}

export const field = (text: string): Field => ({ text, bytes: Buffer.byteLength(text) })

/** Bytes of a number that is not negative. */
export const varintSize = (value: number): number =>
  value < 1 << 6 ? 1 : value < 1 << 13 ? 2 : value < 1 << 20 ? 3 : value < 1 << 27 ? 4 : 5

/** Bytes of a text with its length before it. */
export const measuredSize = ({ bytes }: Field): number => varintSize(bytes) + bytes

/** A buffer that is filled from its beginning. */
export class WireWriter {
  readonly buffer: Buffer
  /** Bytes that are written. */
  at = 0

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size)
  }

  int8(value: number): void {
    this.at = this.buffer.writeInt8(value, this.at)
  }

  int16(value: number): void {
    this.at = this.buffer.writeInt16BE(value, this.at)
  }

  int32(value: number): void {
    this.at = this.buffer.writeInt32BE(value, this.at)
  }

  int64(value: bigint): void {
    this.at = this.buffer.writeBigInt64BE(value, this.at)
  }

  /** Zigzag, seven bits in a byte: of 32 bits. */
  varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0
    for (; rest > 127; rest >>>= 7) this.buffer[this.at++] = (rest & 127) | 128
    this.buffer[this.at++] = rest
  }

  /** With its length before it, in two bytes. */
  string({ text, bytes }: Field): void {
    this.int16(bytes)
    this.at += this.buffer.write(text, this.at)
  }

  /** With its length before it, as it is in records. */
  measuredText({ text, bytes }: Field): void {
    this.varint(bytes)
    this.at += this.buffer.write(text, this.at)
  }
}

/** CRC-32C (RFC 3720, appendix B.4), a byte at a time. */
const checksums = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  return value
})

/** Of the bytes between two places. */
export const crc32c = (buffer: Buffer, from: number, to: number): number => {
  let value = -1
  for (let at = from; at < to; at += 1) value = checksums[(value ^ buffer[at]!) & 0xff]! ^ (value >>> 8)
  return ~value
}
