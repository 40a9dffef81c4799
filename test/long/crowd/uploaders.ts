import { randomBytes } from 'node:crypto'
import type { TestUser, World } from '@parley/testkit'
import { request } from 'undici'
import { Part } from './part.ts'

const largest = 100_000

/** Somebody who stores files: each one that was acknowledged is there, byte for byte. */
export class Uploaders extends Part {
  /** By address. */
  readonly files = new Map<string, Buffer>()
  readonly user: TestUser

  private constructor(user: TestUser) {
    super()
    this.user = user
  }

  static async start(world: World): Promise<Uploaders> {
    const part = new Uploaders(await world.user())
    part.goOn(part.#store())
    return part
  }

  async #store(): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const content = randomBytes(1 + Math.floor(Math.random() * largest))
      const form = new FormData()
      form.append('file', new Blob([content]), `${n}.bin`)
      const encoded = new Response(form)
      const bytes = Buffer.from(await encoded.arrayBuffer())
      const headers = { 'content-type': encoded.headers.get('content-type')! }
      const { body } = await this.do('upload', () => this.user.send('POST', '/user_uploads', bytes, headers))
      this.files.set(body.url, content)
      this.done += 1
      await this.rest(500)
    }
  }

  protected async compare(): Promise<void> {
    const { email, key } = this.user.credentials!
    const { body } = await this.do('list', () => this.user.get('/attachments'))
    const listed = new Set(
      body.attachments.map(({ path_id }: { path_id: string }) => `/user_uploads/${path_id}`),
    )
    for (const [url, content] of this.files) {
      const answer = await request(`${this.user.origin}${url}`, {
        headers: {
          host: this.user.host,
          authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
        },
      })
      const stored = Buffer.from(await answer.body.arrayBuffer())
      if (answer.statusCode !== 200 || !stored.equals(content))
        this.problems.push(`${url} is ${answer.statusCode}, ${stored.length} of ${content.length} bytes`)
      if (!listed.has(url)) this.problems.push(`${url} is not listed`)
    }
  }
}
