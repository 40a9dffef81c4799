/** Bytes of a part in the store: the least that S3 takes of any but the last one. */
export const partSize = 5 * 1024 * 1024
/** Bytes that a buffer begins with: most files are small. */
const smallest = 64 * 1024

/**
 * One part of an object on its way, in memory that is used again for the next one: what a hundred uploads at once take
 * is a hundred parts, whatever the garbage collector does.
 */
export class PartBuffer {
  #bytes = Buffer.allocUnsafeSlow(smallest)
  #size = 0

  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size === partSize
  }

  /** What was gathered; until `clear` or the next `add`. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }

  /** Takes as much of a chunk as there is room for. @returns the rest. */
  add(chunk: Buffer): Buffer {
    const taken = Math.min(chunk.length, partSize - this.#size)
    this.#grow(this.#size + taken)
    chunk.copy(this.#bytes, this.#size, 0, taken)
    this.#size += taken
    return chunk.subarray(taken)
  }

  clear(): void {
    this.#size = 0
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return
    let room = this.#bytes.length
    while (room < needed) room *= 2
    const larger = Buffer.allocUnsafeSlow(Math.min(room, partSize))
    this.content.copy(larger)
    this.#bytes = larger
  }
}
