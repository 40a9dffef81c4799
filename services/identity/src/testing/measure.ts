/**
 * What identity's three hottest questions cost, on a database of their own: `DATABASE_URL=<of an administrator> node
 * --expose-gc services/identity/src/testing/measure.ts`. Prints milliseconds (one at a time; median and 99 of 100) and
 * bytes as JSON.
 */

import { systemGroupNames } from '@parley/contracts/identity/topics'
import type { PiecedReply } from '@parley/kit'
import { permissionsOf } from '../groups/permissions.ts'
import { authenticate } from '../log-in/authenticate.ts'
import { openTestOrganization } from '../test-people.ts'
import { openTestRoom } from '../test-room.ts'
import { createUser } from '../users/create-user.ts'
import { listUsers } from '../users/list-users.ts'

const people = 10_000
const depth = 5

const room = await openTestRoom()
const { sql } = room.deps.database

/** Milliseconds of one call, by its place when all are sorted. */
const timed = async (calls: number, work: (place: number) => Promise<unknown>) => {
  for (let place = 0; place < Math.min(calls, 20); place += 1) await work(place)
  const times: number[] = []
  for (let place = 0; place < calls; place += 1) {
    const start = performance.now()
    await work(place)
    times.push(performance.now() - start)
  }
  times.sort((one, other) => one - other)
  const at = (part: number): number => Number(times[Math.floor(calls * part)]!.toFixed(2))
  return { p50: at(0.5), p99: at(0.99) }
}

const organization = await openTestOrganization(room)
const { realm, people: some } = organization
const wish = { realm: realm.subdomain, full_name: 'Known', role: 400 as const, password: null }
const known = await room.ask(createUser, { ...wish, email: 'known@b.example' })
await sql`
  INSERT INTO users (realm_id, email, delivery_email, full_name, role, email_address_visibility, api_key_hash, api_key_encrypted)
  SELECT ${realm.id}, 'p' || n || '@b.example', 'p' || n || '@b.example', 'Person ' || n, 400, 1,
    sha256(convert_to('key ' || n, 'UTF8')), '\\x00'
  FROM generate_series(1, ${people}) AS n`

// A tree of groups, each in the one above: the person is in the innermost, the setting names the outermost.
const groups = await sql<{ id: number }[]>`
  INSERT INTO user_groups (realm_id, name, is_system_group)
  SELECT ${realm.id}, 'level ' || n, false FROM generate_series(1, ${depth}) AS n RETURNING id`
const ids = groups.map(({ id }) => id)
await sql`
  INSERT INTO group_closure (group_id, subgroup_id)
  SELECT outside, inside FROM unnest(${ids}::bigint[]) AS outside, unnest(${ids}::bigint[]) AS inside
  WHERE outside <= inside`
await sql`INSERT INTO group_members (group_id, user_id) VALUES (${ids.at(-1)!}, ${known.user_id})`
await sql.unsafe('ANALYZE')

/** Bytes in use, once what nobody needs any more is gone. */
const heap = (): number => {
  if (globalThis.gc === undefined) throw new Error('run with node --expose-gc')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Takes the list as it would be sent, and keeps none of it. */
const listed = async (
  weigh: () => number = () => 0,
  sent: Record<string, string> = {},
): Promise<{ bytes: number; most: number }> => {
  const { pieces } = (await room.handle(listUsers, some.member, sent)) as PiecedReply
  let [bytes, most] = [0, 0]
  let next = pieces.next()
  for (let piece = await next; piece.done !== true; piece = await next) {
    // As it is sent: the next piece is made while one is there.
    next = pieces.next()
    await next
    most = Math.max(most, weigh())
    bytes += Buffer.byteLength(piece.value)
  }
  return { bytes, most }
}

const figures = {
  'principal by key, as the gateway asks on a miss': await timed(2000, () =>
    room.ask(authenticate, { realm_id: realm.id, email: known.email, api_key: known.api_key }),
  ),
  [`GET /users, ${people} people, the whole text`]: await timed(30, () => listed()),
  'bytes of that text': (await listed()).bytes,
  'most bytes of it held at a time, with the accounts they are made from': (await listed(heap)).most - heap(),
  'the same with profiles': await timed(30, () =>
    listed(undefined, { include_custom_profile_fields: 'true' }),
  ),
  [`permission in a tree of ${depth} groups beside the ${systemGroupNames.length} of the system`]:
    await timed(2000, async () => {
      const { includes } = await permissionsOf(sql, realm.id, known.user_id)
      if (!includes(ids[0]!)) throw new Error('the permission is not seen')
    }),
}
console.log(JSON.stringify(figures, null, 2))
await room.close()
