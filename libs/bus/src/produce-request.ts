/**
 * What asks a broker to append records, written in one pass into one buffer: version 7 of Produce with batches of magic 2
 * (https://kafka.apache.org/documentation/#recordbatch), uncompressed. The client's own code takes 1.5 ms of CPU for a lone
 * record and its answer, this 0.6 (services/DECISIONS.md).
 */
import { type BrokerRequest, type ProducerIdentity, protocolError } from './kafka-cluster.ts'

export interface ProducedRecord {
  readonly key: string
  /** Null is a tombstone. */
  readonly value: string | null
  readonly headers?: Record<string, string>
}

/** Records for one partition. */
export interface PartitionBatch {
  readonly topic: string
  readonly partition: number
  /** How many records this producer has put there before, modulo 2^31. */
  readonly sequence: number
  readonly records: readonly ProducedRecord[]
}

/** Where the first record of a batch stands. */
export interface FirstPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** Milliseconds that the leader waits for its replicas. */
const replicaTimeout = 30_000

/** `batches`: those of one topic one after the other. They are written all or, partition by partition, not at all. */
export const produceRequest = (
  producer: ProducerIdentity,
  batches: readonly PartitionBatch[],
): BrokerRequest<FirstPlace[]> => ({
  apiKey: 0,
  apiName: 'Produce',
  apiVersion: 7,
  encode: (header) => encode(header, producer, batches),
  decode,
})

interface Field {
  readonly text: string
  readonly bytes: number
}

/** A record's texts with their lengths: each stands before its text. */
interface Measured {
  readonly fields: readonly (Field | null)[]
  readonly headerCount: number
  /** Bytes after the length that says it. */
  readonly size: number
}

const field = (text: string): Field => ({ text, bytes: Buffer.byteLength(text) })

const measure = ({ key, value, headers = {} }: ProducedRecord, index: number): Measured => {
  const fields: (Field | null)[] = [field(key), value === null ? null : field(value)]
  for (const name in headers) fields.push(field(name), field(headers[name]!))
  const headerCount = (fields.length - 2) / 2
  // Attributes, and no difference to the first record's time: a byte each.
  let size = 2 + varintSize(index) + varintSize(headerCount)
  for (const one of fields) size += one === null ? 1 : varintSize(one.bytes) + one.bytes
  return { fields, headerCount, size }
}

/** Of numbers that are not negative, in zigzag. */
const varintSize = (value: number): number =>
  value < 1 << 6 ? 1 : value < 1 << 13 ? 2 : value < 1 << 20 ? 3 : value < 1 << 27 ? 4 : 5

/** From a batch's first byte to the one after its number of records. */
const batchOverhead = 61
/** What is before the field that says how long the batch is from there on, and that field. */
const batchPrefix = 12

const encode = (
  { correlationId, clientId }: { readonly correlationId: number; readonly clientId: string },
  { producerId, producerEpoch }: ProducerIdentity,
  batches: readonly PartitionBatch[],
): Buffer => {
  const name = field(clientId)
  const topics = byTopic(batches)
  let size = 4 + 2 + 2 + 4 + 2 + name.bytes + 2 + 2 + 4 + 4
  const measured = topics.map(({ topic, batches: own }) => {
    const title = field(topic)
    size += 2 + title.bytes + 4
    const parts = own.map((batch) => {
      const records = batch.records.map(measure)
      let bytes = batchOverhead
      for (const record of records) bytes += varintSize(record.size) + record.size
      size += 4 + 4 + bytes
      return { batch, records, bytes }
    })
    return { title, parts }
  })

  const buffer = Buffer.allocUnsafe(size)
  let at = 0
  const int16 = (value: number): void => {
    at = buffer.writeInt16BE(value, at)
  }
  const int32 = (value: number): void => {
    at = buffer.writeInt32BE(value, at)
  }
  const int64 = (value: bigint): void => {
    at = buffer.writeBigInt64BE(value, at)
  }
  const text = (of: Field): void => {
    at += buffer.write(of.text, at)
  }
  const string = (of: Field): void => {
    int16(of.bytes)
    text(of)
  }
  const varint = (value: number): void => {
    let rest = value * 2
    for (; rest > 127; rest = Math.floor(rest / 128)) buffer[at++] = (rest % 128) + 128
    buffer[at++] = rest
  }

  int32(size - 4)
  int16(0)
  int16(7)
  int32(correlationId)
  string(name)
  int16(-1) // no transaction
  int16(-1) // every replica that is in sync has it
  int32(replicaTimeout)
  int32(measured.length)
  const now = BigInt(Date.now())
  for (const { title, parts } of measured) {
    string(title)
    int32(parts.length)
    for (const { batch, records, bytes } of parts) {
      int32(batch.partition)
      int32(bytes)
      int64(0n)
      int32(bytes - batchPrefix)
      int32(-1) // the leader's epoch, which it knows itself
      buffer[at++] = 2
      const checksum = at
      at += 4
      int16(0)
      int32(records.length - 1)
      int64(now)
      int64(now)
      int64(BigInt(producerId))
      int16(producerEpoch)
      int32(batch.sequence)
      int32(records.length)
      for (let index = 0; index < records.length; index += 1) {
        const record = records[index]!
        varint(record.size)
        buffer[at++] = 0
        buffer[at++] = 0
        varint(index)
        for (let place = 0; place < record.fields.length; place += 1) {
          if (place === 2) varint(record.headerCount)
          const one = record.fields[place]!
          if (one === null) buffer[at++] = 1
          else {
            varint(one.bytes)
            text(one)
          }
        }
        if (record.fields.length === 2) buffer[at++] = 0
      }
      buffer.writeInt32BE(crc32c(buffer, checksum + 4, at), checksum)
    }
  }
  return buffer
}

const byTopic = (batches: readonly PartitionBatch[]) => {
  const topics: { topic: string; batches: PartitionBatch[] }[] = []
  for (const batch of batches) {
    const last = topics.at(-1)
    if (last?.topic === batch.topic) last.batches.push(batch)
    else topics.push({ topic: batch.topic, batches: [batch] })
  }
  return topics
}

const decode = (payload: Buffer): { answer: FirstPlace[]; throttleMilliseconds: number } => {
  const answer: FirstPlace[] = []
  let at = 4
  for (let topics = payload.readInt32BE(0); topics > 0; topics -= 1) {
    const length = payload.readInt16BE(at)
    const topic = payload.toString('utf8', at + 2, at + 2 + length)
    at += 2 + length
    let partitions = payload.readInt32BE(at)
    at += 4
    for (; partitions > 0; partitions -= 1) {
      const code = payload.readInt16BE(at + 4)
      if (code !== 0) throw protocolError(code)
      const offset = Number(payload.readBigInt64BE(at + 6))
      answer.push({ topic, partition: payload.readInt32BE(at), offset })
      // After the offset: the time of the append, and the oldest offset.
      at += 30
    }
  }
  return { answer, throttleMilliseconds: payload.readInt32BE(at) }
}

/** CRC-32C (RFC 3720, appendix B.4), a byte at a time. */
const checksums = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  return value
})

const crc32c = (buffer: Buffer, from: number, to: number): number => {
  let value = -1
  for (let at = from; at < to; at += 1) value = checksums[(value ^ buffer[at]!) & 0xff]! ^ (value >>> 8)
  return ~value
}
