/**
 * What asks a broker to append records, written in one pass into one buffer: version 7 of Produce with batches of magic 2
 * (https://kafka.apache.org/documentation/#recordbatch), uncompressed. Why not by the client: services/DECISIONS.md.
 */
import { type BrokerRequest, type ProducerIdentity, protocolError } from './kafka-cluster.ts'
import { crc32c, type Field, field, measuredSize, varintSize, WireWriter } from './wire-writer.ts'

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

/** A record's texts with their lengths: each stands before its text. */
interface Measured {
  readonly key: Field
  readonly value: Field | null
  /** Names and values in turns. */
  readonly headers: readonly Field[]
  /** Bytes after the length that says it. */
  readonly size: number
}

const measure = (record: ProducedRecord, index: number): Measured => {
  const key = field(record.key)
  const value = record.value === null ? null : field(record.value)
  const headers: Field[] = []
  for (const name in record.headers) headers.push(field(name), field(record.headers[name]!))
  // Attributes, and no difference to the first record's time: a byte each.
  let size = 2 + varintSize(index) + measuredSize(key) + (value === null ? 1 : measuredSize(value))
  size += varintSize(headers.length / 2)
  for (const one of headers) size += measuredSize(one)
  return { key, value, headers, size }
}

/** From a batch's first byte to the one after its number of records. */
const batchOverhead = 61
/** What is before the field that says how long the batch is from there on, and that field. */
const batchPrefix = 12

interface MeasuredBatch {
  readonly batch: PartitionBatch
  readonly records: readonly Measured[]
  readonly bytes: number
}

const measureBatch = (batch: PartitionBatch): MeasuredBatch => {
  const records = batch.records.map(measure)
  let bytes = batchOverhead
  for (const { size } of records) bytes += varintSize(size) + size
  return { batch, records, bytes }
}

const encode = (
  { correlationId, clientId }: { readonly correlationId: number; readonly clientId: string },
  producer: ProducerIdentity,
  batches: readonly PartitionBatch[],
): Buffer => {
  const name = field(clientId)
  let size = 4 + 2 + 2 + 4 + 2 + name.bytes + 2 + 2 + 4 + 4
  const topics = byTopic(batches).map(({ topic, batches: own }) => {
    const title = field(topic)
    const parts = own.map(measureBatch)
    size += 2 + title.bytes + 4
    for (const { bytes } of parts) size += 4 + 4 + bytes
    return { title, parts }
  })
  const wire = new WireWriter(size)
  wire.int32(size - 4)
  wire.int16(0)
  wire.int16(7)
  wire.int32(correlationId)
  wire.string(name)
  wire.int16(-1) // no transaction
  wire.int16(-1) // every replica that is in sync has it
  wire.int32(replicaTimeout)
  wire.int32(topics.length)
  const now = BigInt(Date.now())
  for (const { title, parts } of topics) {
    wire.string(title)
    wire.int32(parts.length)
    for (const part of parts) {
      wire.int32(part.batch.partition)
      wire.int32(part.bytes)
      writeBatch(wire, producer, part, now)
    }
  }
  return wire.buffer
}

const writeBatch = (
  wire: WireWriter,
  { producerId, producerEpoch }: ProducerIdentity,
  { batch, records, bytes }: MeasuredBatch,
  now: bigint,
): void => {
  wire.int64(0n)
  wire.int32(bytes - batchPrefix)
  wire.int32(-1) // the leader's epoch, which it knows itself
  wire.int8(2)
  const checksum = wire.at
  wire.int32(0)
  wire.int16(0)
  wire.int32(records.length - 1)
  wire.int64(now)
  wire.int64(now)
  wire.int64(BigInt(producerId))
  wire.int16(producerEpoch)
  wire.int32(batch.sequence)
  wire.int32(records.length)
  for (let index = 0; index < records.length; index += 1) writeRecord(wire, records[index]!, index)
  wire.buffer.writeInt32BE(crc32c(wire.buffer, checksum + 4, wire.at), checksum)
}

const writeRecord = (wire: WireWriter, { key, value, headers, size }: Measured, index: number): void => {
  wire.varint(size)
  wire.int8(0)
  wire.varint(0)
  wire.varint(index)
  wire.measuredText(key)
  if (value === null) wire.varint(-1)
  else wire.measuredText(value)
  wire.varint(headers.length / 2)
  for (const one of headers) wire.measuredText(one)
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
