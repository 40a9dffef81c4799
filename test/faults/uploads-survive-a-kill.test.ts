import { randomBytes } from 'node:crypto'
import { openBlobStore } from '@parley/blob'
import { eventually, succeeded, World } from '@parley/testkit'
import { request } from 'undici'
import { beforeAll, expect, it } from 'vitest'
import { uploadResumably } from '../acceptance/resumable-client.ts'
import { type FaultStack, faultStack } from './fault-stack.ts'

let stack: FaultStack

beforeAll(async () => {
  stack = await faultStack()
})

const mib = 1024 * 1024

it('without the store uploads are answered with 503, nothing is recorded, and everything else goes on', async () => {
  const world = await World.create(stack.address)
  const [user, other] = [await world.user(), await world.user()]
  const form = '--b\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\ncontent\r\n--b--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  await stack.stopEngine('minio')
  try {
    const refused = await user.send('POST', '/user_uploads', form, headers)
    expect([refused.status, refused.body.code]).toEqual([503, 'SERVER_NOT_READY'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(await succeeded(user.get('/attachments'))).toMatchObject({ attachments: [], upload_space_used: 0 })
    await succeeded(user.post('/messages', { type: 'direct', to: [other.id], content: 'goes on' }))
  } finally {
    await stack.startEngine('minio')
  }
  await eventually(async () => {
    await succeeded(user.send('POST', '/user_uploads', form, headers))
  }, 60)
  expect((await succeeded(user.get('/attachments'))).attachments).toHaveLength(1)
})

it('uploads go on through the other process when one is killed, again and again, byte for byte, and leave no parts', async () => {
  const world = await World.create(stack.address)
  const user = await world.user()
  const contents = Array.from({ length: 4 }, () => randomBytes(24 * mib + 11))
  let sent = 0
  const uploads = contents.map((content, place) =>
    uploadResumably(user, content, {
      origin: stack.address.origin,
      name: `${place}.bin`,
      chunkSize: 8 * mib,
      retryDelays: Array.from({ length: 60 }, () => 500),
      onProgress: () => {
        sent += 1
      },
    }),
  )
  const all = Promise.all(uploads)
  for (let kill = 0; kill < 4; kill += 1) {
    const before = sent
    await Promise.race([all, expect.poll(() => sent, { timeout: 60_000 }).toBeGreaterThan(before + 3)])
    const number = (kill % 2) + 1
    await stack.kill('uploads', 'SIGKILL', number)
    await stack.restart('uploads', number)
  }
  const results = await all
  for (const [place, { url }] of results.entries()) {
    const { email, key } = user.credentials!
    const answer = await request(`${stack.address.origin}${url}`, {
      headers: {
        host: user.host,
        authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
      },
    })
    expect(Buffer.from(await answer.body.arrayBuffer()).equals(contents[place]!)).toBe(true)
  }
  const { S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION } = stack.addresses as Record<string, string>
  const store = await openBlobStore({
    endpoint: S3_ENDPOINT!,
    accessKey: S3_ACCESS_KEY!,
    secretKey: S3_SECRET_KEY!,
    region: S3_REGION ?? 'us-east-1',
    bucket: 'parley',
  })
  const { attachments } = (await user.get('/attachments')).body
  expect(attachments).toHaveLength(contents.length)
  for (const { path_id } of attachments) {
    const key = `files/${path_id.split('/').slice(0, 3).join('/')}`
    expect(await store.parts.begun(key)).toEqual([])
    expect((await store.facts(key))?.size).toBe(contents[0]!.length)
  }
})
