import type { MessageFact } from '@parley/contracts/channels/topics'
import { inTransaction } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'
import { filesNamedIn } from './claim-rules.ts'
import { collectFiles } from './collect-files.ts'
import { detachedFiles } from './detached-files.ts'
import { takeInMessage } from './on-message-sent.ts'

let room: TestRoom
let ada: Person
let bob: Person
let cyd: Person
/** Which messages who may read, as channels would say. */
let readers: Map<number, Set<number>>

beforeAll(async () => {
  room = await openTestRoom()
  ada = await room.person()
  bob = await room.person()
  cyd = await room.person()
  room.answers['readable-messages'] = ({
    user_id,
    message_ids,
  }: {
    user_id: number
    message_ids: number[]
  }) => ({
    message_ids: message_ids.filter((id) => readers.get(id)?.has(user_id)),
  })
})
afterAll(() => room.close())
beforeEach(() => {
  readers = new Map()
})

const upload = async (name = 'a.txt'): Promise<string> => {
  const answer = await ada.fetch('/api/v1/user_uploads', { method: 'POST', body: form([name, 'content']) })
  const { url } = (await answer.json()) as { url: string }
  await room.announced()
  return url
}

const say = (id: number, sender: Person, url: string) => {
  const message = { id, sender_id: sender.id, rendered_content: `<p><a href="${encodeURI(url)}">x</a></p>` }
  const fact = { realm_id: 7, message, mentioned_user_ids: [] } as unknown as MessageFact
  return inTransaction(room.deps.database, (tx) => takeInMessage(room.deps.ask, tx as never, fact))
}

const statusFor = async (person: Person, url: string): Promise<number> => {
  const answer = await person.fetch(url)
  await answer.text()
  return answer.status
}

describe('a file that a message refers to', () => {
  it("is its readers' too, as long as they may read it, and its uploader is told", async () => {
    const url = await upload('ü b.txt')
    expect(await statusFor(bob, url)).toBe(404)
    await say(11, ada, url)
    readers.set(11, new Set([bob.id]))
    expect(await statusFor(bob, url)).toBe(200)
    expect(await statusFor(cyd, url)).toBe(404)
    const [{ value, audience }] = (await room.announced()) as [never]
    expect(audience).toEqual({ realm: 7, users: [ada.id] })
    expect(value).toMatchObject({ type: 'attachment', op: 'update', attachment: { message_ids: [11] } })
    const listed = (await (await ada.fetch('/api/v1/attachments')).json()) as {
      attachments: { message_ids: number[] }[]
    }
    expect(listed.attachments[0]!.message_ids).toEqual([11])
    // The fact may come twice.
    await say(11, ada, url)
    expect(await room.announced()).toEqual([])
    readers.clear()
    expect(await statusFor(bob, url)).toBe(404)
    expect(await statusFor(ada, url)).toBe(200)
  })

  it('is not passed on by whoever has only its address', async () => {
    const url = await upload()
    await say(21, cyd, url)
    readers.set(21, new Set([bob.id, cyd.id]))
    expect(await statusFor(cyd, url)).toBe(404)
    expect(await statusFor(bob, url)).toBe(404)
    // Whoever may have it may pass it on.
    await say(22, ada, url)
    readers.set(22, new Set([cyd.id]))
    await say(23, cyd, url)
    readers.set(23, new Set([bob.id]))
    expect(await statusFor(bob, url)).toBe(200)
  })
})

describe('a file to which nothing refers', () => {
  const age = () =>
    room.deps.database.sql`UPDATE attachments SET unclaimed_since = now() - interval '40 days'
      WHERE unclaimed_since IS NOT NULL`
  const collect = () => collectFiles(room.deps)

  it('is given up after the time of grace, unless somebody names it somewhere', async () => {
    const [loose, drafted, sent, young] = [await upload(), await upload(), await upload(), await upload()]
    await say(31, ada, sent)
    await age()
    await room.deps.database
      .sql`UPDATE attachments SET unclaimed_since = now() WHERE path_id = ${young.slice(14)}`
    room.answers['files-in-use'] = ({ files }: { files: string[] }) => ({
      files: files.filter((file) => drafted.includes(file)),
    })
    await room.announced()
    await collect()
    expect(await Promise.all([loose, drafted, sent, young].map((url) => statusFor(ada, url)))).toEqual([
      404, 200, 200, 200,
    ])
    const removed = (await room.announced()).map(({ value }) => [value.type, value.op])
    expect(new Set(removed.map(String))).toEqual(new Set(['attachment,remove']))
    expect(await collect()).toBe(0)
  })

  it('stays when nobody can say whether it is named', async () => {
    const url = await upload()
    await age()
    room.answers['files-in-use'] = () => Promise.reject(new Error('away'))
    await expect(collect()).rejects.toThrow('away')
    expect(await statusFor(ada, url)).toBe(200)
  })
})

describe('files named in a message', () => {
  it.each([
    ['<a href="/user_uploads/7/ab/x/f.txt">f</a>', ['7/ab/x/f.txt']],
    ['<a href="/user_uploads/7/ab/x/%C3%BC%20a&amp;b.txt">f</a>', ['7/ab/x/ü a&b.txt']],
    [
      '<img src="/user_uploads/7/ab/x/f.png?x=1" data-original-src="/user_uploads/7/ab/x/f.png">',
      ['7/ab/x/f.png'],
    ],
    ['<a href="/user_uploads/8/ab/x/f.txt">another organization</a>', []],
    ['<a href="/user_uploads/thumbnail/7/ab/x/f.txt">t</a>', []],
    ['<a href="https://evil.example/user_uploads/7/ab/x/f.txt">e</a>', []],
    ['<code>/user_uploads/7/ab/x/f.txt</code>', []],
    ['<a href="/user_uploads/7/%zz">x</a>', ['7/%zz']],
  ])('%s', (html, files) => expect(filesNamedIn(html, 7)).toEqual(files))
})

describe('what channels asks', () => {
  const own = async (url: string) => {
    const { attachments } = (await (await ada.fetch('/api/v1/attachments')).json()) as {
      attachments: { path_id: string }[]
    }
    return attachments.find((one) => url === `/user_uploads/${one.path_id}`)!
  }
  const detached = (user: Person, message_id: number, ...path_ids: string[]) =>
    detachedFiles.handle({
      input: { realm_id: 7, user_id: user.id, message_id, path_ids },
      deps: room.deps,
    } as never) as Promise<{ attachments: unknown[] }>

  it('the files of a user that no other message refers to', async () => {
    const url = await upload()
    const { path_id } = await own(url)
    await say(31, ada, url)
    const named = { ...(await own(url)), message_ids: [] }
    expect(await detached(ada, 31, path_id, '7/ab/none/none.txt')).toEqual({ attachments: [named] })
    expect(await detached(bob, 31, path_id)).toEqual({ attachments: [] })
    expect(await detached(ada, 31)).toEqual({ attachments: [] })
    await say(32, ada, url)
    expect(await detached(ada, 31, path_id)).toEqual({ attachments: [] })
  })
})
