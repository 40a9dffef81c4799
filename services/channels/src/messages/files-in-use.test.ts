import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { filesInUse } from './files-in-use.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

it('a file that is named in something that somebody wrote is in use, another is not', async () => {
  const { sql } = room.deps.database
  const [drafted, waiting, unnamed] = [
    '7/ab/in-a-draft-of-ada-0000',
    '7/ab/waits-to-be-sent-0000',
    '7/ab/nowhere-at-all-000000',
  ]
  await sql`INSERT INTO drafts (user_id, type, recipients, topic, content, edited_at)
    VALUES (1, '', '{}', '', ${`see /user_uploads/${drafted}/a.txt`}, 1)`
  await sql`INSERT INTO scheduled_messages
    (realm_id, user_id, type, recipients, topic, content, rendered_content, client, read_by_sender, due_at)
    VALUES (7, 1, 'private', '{1}', '', ${`[b](/user_uploads/${waiting}/b.txt)`}, '', 'test', true, now())`
  const input = { realm_id: 7, files: [drafted!, waiting!, unnamed!] }
  const answer = await filesInUse.handle({ input, deps: room.deps } as never)
  expect(answer.files.toSorted()).toEqual([drafted, waiting])
})
