import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StreamedReply } from '@parley/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { updateRealm } from '../realms/update-realm.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { bigBlueButton } from './big-blue-button.ts'
import { createBigBlueButtonCall } from './create-big-blue-button-call.ts'
import { joinBigBlueButtonCall } from './join-big-blue-button-call.ts'

const secret = 'shared with the other server'
/** What the other server was asked, and what it answers. */
const asked: URL[] = []
let answer = '<response><returncode>SUCCESS</returncode><createTime>12</createTime></response>'
let server: Server
let room: TestRoom
let bare: TestRoom
let organization: TestOrganization
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(new URL(request.url!, 'http://bbb.example'))
    response.end(answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bigbluebutton/`
  room = await openTestRoom({ bigBlueButton: bigBlueButton(url, secret) })
  organization = await openTestOrganization(room)
  bare = await openTestRoom()
})
afterAll(async () => {
  server.close()
  await room.close()
  await bare.close()
})

const join = async (who: TestOrganization['people']['member'], url: string) =>
  (await room.call(joinBigBlueButtonCall, who, {
    bigbluebutton: new URL(url, 'http://x').searchParams.get('bigbluebutton')!,
  })) as unknown as StreamedReply

it('leads into one meeting per link: its maker as the moderator, the others as viewers', async () => {
  const { member, guest } = organization.people
  const { url } = await room.call(createBigBlueButtonCall, member, {
    meeting_name: 'Stand & up',
    voice_only: 'true',
  })
  expect(asked).toEqual([])
  const places: URLSearchParams[] = []
  for (const who of [member, guest]) {
    const { status, headers } = await join(who, url)
    expect(status).toBe(302)
    places.push(new URL(headers.location!).searchParams)
  }
  const [create] = asked
  expect(create!.pathname).toBe('/bigbluebutton/api/create')
  expect(Object.fromEntries(create!.searchParams)).toMatchObject({
    name: 'Stand & up',
    lockSettingsDisableCam: 'true',
  })
  const [query, checksum] = create!.search.slice(1).split('&checksum=')
  expect(checksum).toBe(createHash('sha256').update(`create${query}${secret}`).digest('hex'))
  expect(places.map((place) => [place.get('role'), place.get('fullName'), place.get('createTime')])).toEqual([
    ['MODERATOR', 'member', '12'],
    ['VIEWER', 'guest', '12'],
  ])
  expect(new Set(places.map((place) => place.get('meetingID'))).size).toBe(1)
})

it('refuses links that were made up or belong elsewhere, and passes on refusals', async () => {
  const { member } = organization.people
  const { url } = await room.call(createBigBlueButtonCall, member, { meeting_name: 'x' })
  const stranger = await openTestOrganization(room)
  const refused = { error: 'BAD_REQUEST' }
  await expect(join(stranger.people.owner, url)).rejects.toMatchObject(refused)
  for (const text of [
    url.replace('bigbluebutton=', 'bigbluebutton=x'),
    url.split('.')[0]!,
    'join?bigbluebutton=',
  ]) {
    await expect(join(member, text)).rejects.toMatchObject(refused)
  }
  answer = '<response><returncode>FAILED</returncode></response>'
  await expect(join(member, url)).rejects.toMatchObject(refused)
})

it('is chosen only where it is configured, and says so where it is not', async () => {
  const wish = { video_chat_provider: '4' }
  await room.call(updateRealm, organization.people.owner, wish)
  const { people } = await openTestOrganization(bare)
  await expect(bare.call(updateRealm, people.owner, wish)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  await expect(
    bare.call(createBigBlueButtonCall, people.member, { meeting_name: 'x' }),
  ).rejects.toMatchObject({
    error: 'BAD_REQUEST',
    message: 'BigBlueButton is not configured.',
  })
})
