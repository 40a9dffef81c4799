import { type Client, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let ben: TestUser
beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner', name: 'Olga' })
  ben = await world.user({ name: 'Ben' })
  const wish = { subscriptions: [{ name: 'plaza' }], principals: [owner.id, ben.id] }
  await succeeded(owner.post('/users/me/subscriptions', wish))
})

const say = async (who: Client, content: string, to = 'plaza'): Promise<number> =>
  (await succeeded(who.post('/messages', { type: 'stream', to, topic: 'talk', content }))).id
const read = async (who: Client, id: number) => (await succeeded(who.get(`/messages/${id}`))).message
/** One pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** Again and again, to and fro: once may be luck. */
const rounds = [true, false, true, false, true, false]

describe('what somebody changed holds for the next request, whichever service decides it', () => {
  it('settings of the organization', async () => {
    const id = await say(ben, 'first')
    const statuses: boolean[] = []
    for (const [n, allow_message_editing] of rounds.entries()) {
      await succeeded(owner.patch('/realm', { allow_message_editing }))
      statuses.push((await ben.patch(`/messages/${id}`, { content: `edit ${n}` })).status === 200)
    }
    expect(statuses).toEqual(rounds)
  })

  it("one's own settings, alert words and mutes", async () => {
    const seen: boolean[][] = []
    for (const [n, isOn] of rounds.entries()) {
      await succeeded(ben.patch('/settings', { translate_emoticons: isOn }))
      const face = await read(owner, await say(ben, ':)'))
      const words = { alert_words: JSON.stringify([`lunch${n}`]) }
      await succeeded(
        isOn ? ben.post('/users/me/alert_words', words) : ben.delete('/users/me/alert_words', words),
      )
      const alert = await read(ben, await say(owner, `a lunch${n} here`))
      const mute = `/users/me/muted_users/${owner.id}`
      await succeeded(isOn ? ben.post(mute, {}) : ben.delete(mute))
      const muted = await read(ben, await say(owner, 'hello'))
      seen.push([
        face.content.includes('emoji'),
        alert.flags.includes('has_alert_word'),
        muted.flags.includes('read'),
      ])
    }
    expect(seen).toEqual(rounds.map((isOn) => [isOn, isOn, isOn]))
  })

  it('who is in a group, and what it is called', async () => {
    const wish = { name: 'posters', description: '', members: JSON.stringify([owner.id]) }
    const { group_id } = await succeeded(owner.post('/user_groups/create', wish))
    const named = await read(ben, await say(owner, '@*posters*'))
    expect(named.content).toContain(`data-user-group-id="${group_id}"`)
    const closed = { name: 'closed', subscribers: JSON.stringify([owner.id, ben.id]) }
    await succeeded(owner.post('/channels/create', { ...closed, can_send_message_group: group_id }))
    const sent: boolean[] = []
    for (const isIn of rounds) {
      const change = isIn ? { add: [ben.id] } : { delete: [ben.id] }
      await succeeded(owner.post(`/user_groups/${group_id}/members`, change))
      const message = { type: 'stream', to: 'closed', topic: 'talk', content: 'x' }
      sent.push((await ben.post('/messages', message)).status === 200)
    }
    expect(sent).toEqual(rounds)
  })

  it('how people look', async () => {
    const looks: string[] = []
    const shown: string[] = []
    const form = new FormData()
    form.append('any', new Blob([pixel]), 'me.png')
    const encoded = new Response(form)
    const headers = { 'content-type': encoded.headers.get('content-type')! }
    const body = Buffer.from(await encoded.arrayBuffer())
    for (const isOwn of rounds) {
      const { avatar_url } = await succeeded(
        isOwn ? ben.send('POST', '/users/me/avatar', body, headers) : ben.delete('/users/me/avatar'),
      )
      looks.push(avatar_url)
      const narrow = { anchor: await say(ben, 'x'), num_before: 0, num_after: 0, client_gravatar: false }
      shown.push((await succeeded(owner.get('/messages', narrow))).messages[0].avatar_url)
    }
    expect(new Set(looks).size).toBe(rounds.length)
    expect(shown).toEqual(looks)
  })

  it('what people are called', async () => {
    const { id } = await world.user({ name: 'New Comer' })
    const hello = await read(ben, await say(ben, 'Hello @**New Comer**'))
    expect(hello.content).toContain(`data-user-id="${id}"`)
    const names: string[] = []
    for (const n of rounds.keys()) {
      await succeeded(owner.patch(`/users/${ben.id}`, { full_name: `Ben ${n}` }))
      names.push((await read(owner, await say(ben, 'x'))).sender_full_name)
    }
    expect(names).toEqual([...rounds.keys()].map((n) => `Ben ${n}`))
  })
})
