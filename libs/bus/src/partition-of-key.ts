const [seed, factor] = [0x9747b28c, 0x5bd1e995]

/**
 * The partition of a key, as the standard producers choose it: murmur2 of its bytes. Where a key's records are must not
 * depend on who writes them.
 */
export const partitionOfKey = (key: string, partitions: number): number =>
  (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions

const murmur2 = (bytes: Buffer): number => {
  const { length } = bytes
  const whole = length & ~3
  let hash = seed ^ length
  for (let at = 0; at < whole; at += 4) {
    let part = Math.imul(bytes.readInt32LE(at), factor)
    part = Math.imul(part ^ (part >>> 24), factor)
    hash = Math.imul(hash, factor) ^ part
  }
  if (length > whole) {
    for (let at = length - 1; at >= whole; at -= 1) hash ^= bytes[at]! << (8 * (at - whole))
    hash = Math.imul(hash, factor)
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor)
  return hash ^ (hash >>> 15)
}
