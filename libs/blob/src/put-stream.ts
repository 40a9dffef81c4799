import type { Readable } from 'node:stream'
import type { Multipart, StoredPart } from './multipart.ts'
import { PartBuffer } from './part-buffer.ts'

/**
 * Stores a stream: a short one at once (`putWhole`), a long one in parts, one in memory at a time. The stream is read no
 * faster than they are taken. The client's own way of doing so gathers half a gigabyte of a stream whose length it does
 * not know, and looks for earlier attempts first.
 */
export const putStream = async (
  parts: Multipart,
  key: string,
  content: Readable,
  contentType: string,
  putWhole: (content: Buffer) => Promise<void>,
): Promise<void> => {
  let upload: string | undefined
  const stored: StoredPart[] = []
  const buffer = new PartBuffer()

  const putPart = async (): Promise<void> => {
    upload ??= await parts.begin(key, { contentType })
    const number = stored.length + 1
    stored.push({ number, etag: await parts.put(key, upload, number, buffer.content) })
    buffer.clear()
  }

  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      let rest = buffer.add(chunk)
      // A full part is sent once more is there: the last one may be full, but not empty.
      while (rest.length > 0) {
        await putPart()
        rest = buffer.add(rest)
      }
    }
    if (upload === undefined) return await putWhole(buffer.content)
    await putPart()
    if (!(await parts.complete(key, upload, stored))) throw new Error(`the upload of ${key} was given up`)
  } catch (error) {
    content.destroy()
    if (upload !== undefined) await parts.abort(key, upload).catch(() => {})
    throw error
  }
}
