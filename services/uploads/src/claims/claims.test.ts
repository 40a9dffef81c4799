import { inTransaction } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'
import { claimFiles } from './claim-files.ts'
import { filesNamedIn } from './claim-rules.ts'
import { collectFiles } from './collect-files.ts'
import { detachedFiles } from './detached-files.ts'
import { dropMessages, takeInMessage } from './take-in-messages.ts'

let room: TestRoom
let ada: Person
let bob: Person
let cyd: Person
/** Which messages who may read, and what messages say, as channels would say. */
let readers: Map<number, Set<number>>
let messages: Map<number, { id: number; sender_id: number; rendered_content: string }>

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
    message_ids: message_ids.filter((id) => messages.has(id) && readers.get(id)?.has(user_id)),
  })
  room.answers['message-contents'] = ({ message_ids }: { message_ids: number[] }) => ({
    messages: message_ids.flatMap((id) => messages.get(id) ?? []),
  })
})
afterAll(() => room.close())
beforeEach(() => {
  readers = new Map()
  messages = new Map()
})

const upload = async (name = 'a.txt'): Promise<string> => {
  const answer = await ada.fetch('/api/v1/user_uploads', { method: 'POST', body: form([name, 'content']) })
  const { url } = (await answer.json()) as { url: string }
  await room.announced()
  return url
}

const linking = (...urls: string[]) => urls.map((url) => `<p><a href="${encodeURI(url)}">x</a></p>`).join('')
const inTx = <T>(work: (tx: never) => Promise<T>) =>
  inTransaction(room.deps.database, (tx) => work(tx as never))

/** What a message says, sent or edited; its fact comes at once. */
const say = (id: number, sender: Person, ...urls: string[]) => {
  const message = { id, sender_id: sender.id, rendered_content: linking(...urls) }
  messages.set(id, message)
  return inTx((tx) => takeInMessage(room.deps.ask, tx, 7, id, message.rendered_content))
}
const unsay = (...ids: number[]) => {
  for (const id of ids) messages.delete(id)
  return inTx((tx) => dropMessages(tx, ids))
}
const claims = async (url: string): Promise<number[] | undefined> => {
  const listed = (await (await ada.fetch('/api/v1/attachments')).json()) as {
    attachments: { path_id: string; message_ids: number[] }[]
  }
  return listed.attachments.find(({ path_id }) => url.endsWith(path_id))?.message_ids
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

describe('a reference', () => {
  it('that is taken out, or goes with its message, takes access with it; the uploader is told each time', async () => {
    const [one, two] = [await upload('one.txt'), await upload('two.txt')]
    await say(41, ada, one, two)
    await say(42, ada, one)
    readers.set(41, new Set([bob.id])).set(42, new Set([cyd.id]))
    expect(await Promise.all([one, two].map(claims))).toEqual([[41, 42], [41]])
    await room.announced()
    await say(41, ada, two)
    expect(await Promise.all([one, two].map(claims))).toEqual([[42], [41]])
    expect([await statusFor(bob, one), await statusFor(bob, two)]).toEqual([404, 200])
    await unsay(41, 42)
    expect(await Promise.all([one, two].map(claims))).toEqual([[], []])
    expect([await statusFor(cyd, one), await statusFor(bob, two)]).toEqual([404, 404])
    const told = (await room.announced()).map(({ value, audience }) => [
      value.op,
      value.attachment.name,
      value.attachment.message_ids,
      audience.users,
    ])
    expect(told).toEqual([
      ['update', 'one.txt', [42], [ada.id]],
      ['update', 'one.txt', [], [ada.id]],
      ['update', 'two.txt', [], [ada.id]],
    ])
  })

  it('is what the message says now, in whatever order facts come', async () => {
    const [one, two] = [await upload('one.txt'), await upload('two.txt')]
    const late = (id: number, html: string) => inTx((tx) => takeInMessage(room.deps.ask, tx, 7, id, html))
    await say(51, ada, two)
    await late(51, linking(one))
    expect(await Promise.all([one, two].map(claims))).toEqual([[], [51]])
    await unsay(51)
    await late(51, linking(one, two))
    expect(await Promise.all([one, two].map(claims))).toEqual([[], []])
  })
})

/** A small generator of numbers, the same for the same seed. */
const dice = (seed: number) => (sides: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * sides)
}

describe('over random histories of sending, copying, editing, moving and deleting', () => {
  it('a file that a message refers to is never given up, another one is, and who has it follows', async () => {
    const seed = Number(process.env.CLAIMS_SEED ?? Date.now() % 1_000_000)
    const roll = dice(seed)
    // Only claims keep files here: whether anything else names them is asked besides.
    room.answers['files-in-use'] = () => ({ files: [] })
    const files: string[] = []
    for (let n = 0; n < 12; n += 1) files.push(await upload(`${n}.txt`))
    const facts: (() => Promise<void>)[] = []
    let next = 1000
    const some = () => files.filter(() => roll(5) === 0)
    const everybody = new Set([ada.id, bob.id, cyd.id])
    for (let step = 0; step < 250; step += 1) {
      const ids = [...messages.keys()]
      const id = ids[roll(ids.length)]
      const kind = roll(6)
      if (kind < 2 || id === undefined) {
        const made = next++
        const html = linking(...some())
        messages.set(made, { id: made, sender_id: ada.id, rendered_content: html })
        readers.set(made, everybody)
        facts.push(() => inTx((tx) => takeInMessage(room.deps.ask, tx, 7, made, html)))
      } else if (kind === 2) {
        // A copy, by somebody who may read the original.
        const made = next++
        const html = messages.get(id)!.rendered_content
        messages.set(made, { id: made, sender_id: ada.id, rendered_content: html })
        readers.set(made, everybody)
        facts.push(() => inTx((tx) => takeInMessage(room.deps.ask, tx, 7, made, html)))
      } else if (kind === 3) {
        const html = linking(...some())
        messages.set(id, { ...messages.get(id)!, rendered_content: html })
        facts.push(() => inTx((tx) => takeInMessage(room.deps.ask, tx, 7, id, html)))
      } else if (kind === 4) {
        const gone = [id, ...ids.filter(() => roll(8) === 0)]
        for (const one of gone) messages.delete(one)
        facts.push(() => inTx((tx) => dropMessages(tx, gone)))
      } else readers.set(id, roll(2) === 0 ? everybody : new Set([ada.id]))
      // Facts of different conversations come in any order, several at once, and some twice.
      while (facts.length > roll(12)) {
        const [fact] = facts.splice(roll(facts.length), 1)
        await Promise.all([fact!(), ...(roll(4) === 0 ? [fact!()] : [])])
      }
    }
    await Promise.all(facts.map((fact) => fact()))
    const referring = (url: string) =>
      [...messages.values()].filter((one) => one.rendered_content.includes(url)).map((one) => one.id)
    for (const url of files)
      expect(await claims(url), `seed ${seed}`).toEqual(referring(url).sort((a, b) => a - b))
    for (const url of files) {
      const isReadable = referring(url).some((id) => readers.get(id)!.has(bob.id))
      expect(await statusFor(bob, url), `seed ${seed}`).toBe(isReadable ? 200 : 404)
    }
    await room.deps.database.sql`UPDATE attachments SET unclaimed_since = now() - interval '40 days'
      WHERE unclaimed_since IS NOT NULL`
    while ((await collectFiles(room.deps)) > 0);
    for (const url of files) {
      const isThere = (await claims(url)) !== undefined
      expect(isThere, `seed ${seed}`).toBe(referring(url).length > 0)
    }
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
    ['<a href="/user_uploads/7/a%00b">x</a>', []],
  ])('%s', (html, files) => expect(filesNamedIn(html, 7)).toEqual(files))
})

/** A file as its uploader sees it. */
const own = async (url: string) => {
  const { attachments } = (await (await ada.fetch('/api/v1/attachments')).json()) as {
    attachments: { path_id: string; message_ids: number[] }[]
  }
  return attachments.find((one) => url === `/user_uploads/${one.path_id}`)!
}

describe('channels tells of a message before its news', () => {
  const told = (message_id: number) =>
    claimFiles.handle({
      input: { realm_id: 7, message_id },
      deps: room.deps,
      transaction: (work: never) => inTransaction(room.deps.database, work),
    } as never)

  it('and its files are claimed, and given up, once', async () => {
    const url = await upload()
    messages.set(41, { id: 41, sender_id: ada.id, rendered_content: linking(url) })
    await told(41)
    expect((await own(url)).message_ids).toEqual([41])
    expect(await room.announced()).toHaveLength(1)
    await say(41, ada, url)
    await told(41)
    expect(await room.announced()).toEqual([])
    messages.delete(41)
    await told(41)
    expect((await own(url)).message_ids).toEqual([])
    expect(await room.announced()).toHaveLength(1)
    await unsay(41)
    expect(await room.announced()).toEqual([])
  })

  it('and nobody gets a file by writing down its address', async () => {
    const url = await upload()
    messages.set(42, { id: 42, sender_id: bob.id, rendered_content: linking(url) })
    await told(42)
    expect((await own(url)).message_ids).toEqual([])
  })
})

describe('what channels asks', () => {
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
