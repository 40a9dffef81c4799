import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** Cells per side; the left half mirrors the right one. */
const cells = 5

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** A colour that is neither pale nor dark, of the hue that a number from 0 to 1 stands for. */
const colour = (hue: number): number[] =>
  [0, 8, 4].map((n) => {
    const k = (n + hue * 12) % 12
    return Math.round(255 * (0.5 - 0.3 * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  })

/** A picture made of a name: the same name, the same picture, on every machine. A PNG with two colours. */
export const identicon = (name: string, pixels: number): Buffer => {
  const seed = createHash('sha256').update(name).digest()
  const isFilled = (column: number, row: number): boolean => {
    const place = row * Math.ceil(cells / 2) + Math.min(column, cells - 1 - column)
    return (seed[place + 4]! & 1) === 1
  }
  const margin = Math.floor(pixels / 12)
  const cell = (pixels - 2 * margin) / cells
  const stride = Math.ceil(pixels / 8) + 1
  const raw = Buffer.alloc(stride * pixels)
  for (let y = margin; y < pixels - margin; y += 1) {
    const row = Math.min(cells - 1, Math.floor((y - margin) / cell))
    for (let x = margin; x < pixels - margin; x += 1) {
      const column = Math.min(cells - 1, Math.floor((x - margin) / cell))
      if (isFilled(column, row)) raw[y * stride + 1 + (x >> 3)]! |= 0x80 >> (x & 7)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(pixels, 0)
  header.writeUInt32BE(pixels, 4)
  // One bit per pixel, two colours of a palette.
  header.set([1, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([240, 240, 240, ...colour(seed.readUInt32BE(0) / 2 ** 32)])),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
