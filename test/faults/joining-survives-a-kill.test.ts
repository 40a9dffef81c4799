import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { eventually, succeeded, World } from '@parley/testkit'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FaultStack, faultStack } from './fault-stack.ts'

let stack: FaultStack
let mailServer: SMTPServer
/** Keys in links, by the address that they were mailed to. */
const keys = new Map<string, string>()
const password = 'umbrella giraffe tangent 9'

beforeAll(async () => {
  mailServer = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData: (stream, session, done) => {
      buffer(stream).then((mail) => {
        const text = mail.toString().replace(/=\r\n/g, '')
        for (const { address } of session.envelope.rcptTo)
          keys.set(address, /\/join\/([\w-]{32})\//.exec(text)![1]!)
        done()
      }, done)
    },
  })
  stack = await faultStack()
  await once(mailServer.listen(stack.mailPort, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  await new Promise<void>((resolve) => mailServer.close(() => resolve()))
})

const victims = ['identity', 'channels', 'invitations'] as const
const newcomersPerKill = 10
/** Milliseconds after which the newcomers' requests are met by a kill: passwords are being hashed, accounts being made. */
const killAfter = [150, 400]

it('whoever joins by a mailed invitation gets one whole account, whatever is killed on the way', async () => {
  const world = await World.create(stack.address)
  const owner = await world.user({ role: 'owner' })
  await succeeded(
    owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'hall' }], invite_only: true }),
  )
  const { stream_id } = await succeeded(owner.get('/get_stream_id', { stream: 'hall' }))
  const { group_id } = await succeeded(
    owner.post('/user_groups/create', { name: 'crew', description: '', members: [] }),
  )
  const everybody: string[] = []
  const unfinished: string[] = []

  /** One try; a client whose connection broke or whom nobody served has to find out by itself. */
  const tryToJoin = async (address: string): Promise<void> => {
    const newcomer = { key: keys.get(address)!, full_name: address.split('@')[0]!, password }
    const answer = await world
      .stranger()
      .post('/join', newcomer)
      .catch(() => undefined)
    if (answer?.status !== 200) unfinished.push(address)
  }

  for (const [after, victim] of victims.flatMap((name) => killAfter.map((pause) => [pause, name] as const))) {
    const addresses = Array.from(
      { length: newcomersPerKill },
      (_, n) => `p${everybody.length + n}@example.org`,
    )
    everybody.push(...addresses)
    const invitees = { invitee_emails: addresses.join(','), stream_ids: [stream_id], group_ids: [group_id] }
    await eventually(() => succeeded(owner.post('/invites', invitees)), 30)
    await eventually(async () => expect(addresses.filter((address) => !keys.has(address))).toEqual([]), 30)
    const joining = Promise.all(addresses.map(tryToJoin))
    await new Promise((resolve) => setTimeout(resolve, after))
    await stack.kill(victim, 'SIGKILL')
    await stack.restart(victim)
    await joining
  }
  expect(unfinished.length).toBeGreaterThan(0)

  // Who was not answered tries again: the key works, or was used, and then the account is there.
  for (const address of unfinished) {
    await eventually(async () => {
      const newcomer = { key: keys.get(address)!, full_name: address.split('@')[0]!, password }
      const { status, body } = await world.stranger().post('/join', newcomer)
      if (status !== 200) expect([status, body.msg]).toEqual([400, expect.stringContaining('used already')])
    }, 60)
  }
  const people = await eventually(async () => {
    const { members } = await succeeded(owner.get('/users'))
    const made = members.filter(({ delivery_email }: { delivery_email: string }) =>
      everybody.includes(delivery_email),
    )
    expect(made.length).toBe(everybody.length)
    return made as { user_id: number; delivery_email: string }[]
  }, 60)
  const ids = people.map(({ user_id }) => user_id).sort((a, b) => a - b)
  const inOrder = (list: number[]) => list.filter((id) => id !== owner.id).sort((a, b) => a - b)
  await eventually(async () => {
    expect(inOrder((await succeeded(owner.get(`/streams/${stream_id}/members`))).subscribers)).toEqual(ids)
    expect(inOrder((await succeeded(owner.get(`/user_groups/${group_id}/members`))).members)).toEqual(ids)
  }, 60)
  await eventually(async () => expect((await succeeded(owner.get('/invites'))).invites).toEqual([]), 30)
  for (const username of everybody) {
    await succeeded(world.stranger().post('/fetch_api_key', { username, password }))
  }
})
