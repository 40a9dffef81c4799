import { PassThrough } from 'node:stream'
import type { RequestFacts } from '@parley/kit'
import { describe, expect, it } from 'vitest'
import { sentImage } from './sent-image.ts'

const wish = { mebibytes: 1, finding: 'You must upload exactly one file.' }

/** A form with one file, which arrives as the test lets it. */
const arriving = () => {
  const content = new PassThrough()
  const request = {
    headers: {},
    async *files() {
      yield { field: 'file', name: 'a.png', type: 'image/png', content }
    },
  } as unknown as RequestFacts
  return { content, image: sentImage(request, wish) }
}

describe('the image of a form', () => {
  it('is given whole', async () => {
    const { content, image } = arriving()
    content.write('one')
    content.end('two')
    expect(String(await image)).toBe('onetwo')
  })

  it('is waited for no longer when its sender leaves', async () => {
    const { content, image } = arriving()
    content.write('one')
    content.destroy()
    await expect(image).rejects.toMatchObject({ error: 'BAD_REQUEST', message: 'The request is malformed.' })
  })

  it('ends where it becomes too large', async () => {
    const { content, image } = arriving()
    content.write(Buffer.alloc(1024 * 1024 + 1))
    await expect(image).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    expect(content.destroyed).toBe(true)
  })
})
