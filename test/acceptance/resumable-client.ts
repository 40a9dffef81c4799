import type { TestUser } from '@parley/testkit'
import * as tus from 'tus-js-client'

interface Wishes {
  readonly origin: string
  readonly name: string
  readonly chunkSize?: number
  readonly parallel?: number
  /** Milliseconds before each further attempt. */
  readonly retryDelays?: number[]
  onProgress?(sent: number): void
}

/** Uploads with the published client; resolves with what the last answer said. */
export const uploadResumably = (user: TestUser, content: Buffer, wishes: Wishes): Promise<{ url: string }> =>
  new Promise((resolve, reject) => {
    const { email, key } = user.credentials!
    const headers = {
      Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
      Host: user.host,
    }
    const upload = new tus.Upload(content, {
      endpoint: `${wishes.origin}/api/v1/tus`,
      headers,
      metadata: { filename: wishes.name, filetype: 'application/octet-stream' },
      retryDelays: wishes.retryDelays ?? Array.from({ length: 40 }, () => 100),
      ...(wishes.chunkSize === undefined ? {} : { chunkSize: wishes.chunkSize }),
      ...(wishes.parallel === undefined ? {} : { parallelUploads: wishes.parallel }),
      ...(wishes.onProgress === undefined ? {} : { onProgress: wishes.onProgress }),
      onError: reject,
      onSuccess: ({ lastResponse }) => {
        // Who did not hear the last answer asked how far the upload came, and was told where the file is.
        const place = lastResponse.getHeader('Content-Location')
        const body = lastResponse.getBody()
        resolve(body === '' ? { url: decodeURI(place!) } : JSON.parse(body))
      },
    })
    upload.start()
  })
