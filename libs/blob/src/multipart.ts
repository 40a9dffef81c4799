import type { Client } from 'minio'

/** A part of an object, as the store knows it. Numbers ascend in the order of the bytes, and may have gaps. */
export interface StoredPart {
  readonly number: number
  readonly etag: string
}

/** An object that comes in parts, the last of any length, the others of at least 5 MiB. */
export interface Multipart {
  /** @returns the name of the upload in the store. */
  begin(key: string, options: { contentType: string }): Promise<string>
  /** @returns the part's ETag. A part of a number that is there is replaced. */
  put(key: string, upload: string, number: number, content: Buffer): Promise<string>
  /** Makes the parts the object; others are forgotten. False when the store does not know the upload (any more). */
  complete(key: string, upload: string, parts: readonly StoredPart[]): Promise<boolean>
  /** Names of the uploads of the key that were neither completed nor given up. */
  begun(key: string): Promise<string[]>
  /** Gives up one upload; none there is no error. */
  abort(key: string, upload: string): Promise<void>
  /** Gives up all uploads of the key, whoever began them. */
  abandon(key: string): Promise<void>
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

const begun = async (client: Client, bucketName: string, key: string): Promise<string[]> => {
  const found: string[] = []
  for await (const item of client.listIncompleteUploads(bucketName, key, true)) {
    const { key: name, uploadId } = item as { key: string; uploadId: string }
    if (name === key) found.push(uploadId)
  }
  return found
}

const abort = async (client: Client, bucketName: string, key: string, upload: string): Promise<void> => {
  try {
    await client.abortMultipartUpload(bucketName, key, upload)
  } catch (error) {
    if (codeOf(error) !== 'NoSuchUpload') throw error
  }
}

export const multipart = (client: Client, bucketName: string): Multipart => ({
  begin: (key, { contentType }) =>
    client.initiateNewMultipartUpload(bucketName, key, { 'Content-Type': contentType }),
  async put(objectName, uploadId, number, content) {
    const query = new URLSearchParams({ partNumber: String(number), uploadId }).toString()
    const headers = { 'Content-Length': String(content.length) }
    const answer = await client.makeRequestAsync(
      { method: 'PUT', bucketName, objectName, query, headers },
      content,
    )
    answer.resume()
    return String(answer.headers.etag ?? '').replaceAll('"', '')
  },
  async complete(key, upload, parts) {
    const etags = parts.map(({ number, etag }) => ({ part: number, etag }))
    try {
      await client.completeMultipartUpload(bucketName, key, upload, etags)
      return true
    } catch (error) {
      if (codeOf(error) === 'NoSuchUpload') return false
      throw error
    }
  },
  begun: (key) => begun(client, bucketName, key),
  abort: (key, upload) => abort(client, bucketName, key, upload),
  async abandon(key) {
    for (const upload of await begun(client, bucketName, key)) await abort(client, bucketName, key, upload)
  },
})
