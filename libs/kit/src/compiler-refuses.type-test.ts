/**
 * What must not compile. Each line below `@ts-expect-error` is a mistake; the check of types fails when one of
 * them starts to be accepted.
 */
import { endpoint, event, serviceContract } from '@parley/contracts'
import type { Database } from '@parley/db'
import { z } from 'zod'
import { room } from './room.ts'
import { defineService } from './service.ts'

const renamed = event({ type: 'thing', op: 'update', fields: { thing_id: z.int() } })
const removed = event({ type: 'thing', op: 'remove', fields: { thing_id: z.int() } })

const renameThing = endpoint({
  method: 'PATCH',
  path: '/things/{thing_id}',
  service: 'channels',
  summary: 'Rename a thing.',
  access: 'authenticated',
  params: { thing_id: z.int(), name: z.string() },
  reply: { name: z.string() },
  errors: ['STREAM_DOES_NOT_EXIST'],
  emits: [renamed],
})
const removeThing = endpoint({
  method: 'DELETE',
  path: '/things/{thing_id}',
  service: 'channels',
  summary: 'Remove a thing.',
  access: 'administrator',
  params: { thing_id: z.int() },
  reply: {},
})
const things = serviceContract('channels', {
  endpoints: { renameThing, removeThing },
  internals: {},
  sections: {},
})

interface Deps {
  readonly database: Database
}
const words = room<Deps>()
const audience = { realm: 1, users: [2] }

const rename = words.endpoint(renameThing, async ({ params, refuse, transaction }) => {
  await transaction(async (tx) => {
    tx.emit(renamed, audience, { thing_id: params.thing_id })
    // @ts-expect-error: the contract of this endpoint does not say that it emits `removed`.
    tx.emit(removed, audience, { thing_id: params.thing_id })
    // @ts-expect-error: wrong event data.
    tx.emit(renamed, audience, { thing_id: 'seven' })
  })
  if (params.name === '') throw refuse('STREAM_DOES_NOT_EXIST', 'There is none.', { stream: 'x' })
  if (params.name === '?') throw refuse('BAD_REQUEST', 'No.')
  // @ts-expect-error: the contract does not declare this error.
  if (params.name === '!') throw refuse('BAD_NARROW', 'No.', { desc: 'x' })
  // @ts-expect-error: the fields of this error are missing.
  if (params.name === '-') throw refuse('STREAM_DOES_NOT_EXIST', 'There is none.')
  // @ts-expect-error: there is no such parameter.
  void params.title
  return { name: params.name }
})

// @ts-expect-error: a wrong reply.
words.endpoint(renameThing, async () => ({ name: 7 }))
// @ts-expect-error: an incomplete reply.
words.endpoint(renameThing, async () => ({}))

const remove = words.endpoint(removeThing, async ({ caller }) => {
  // An endpoint for administrators always has an account for its caller.
  caller.user.id satisfies number
  return {}
})

const parts = {
  contract: things,
  config: z.object({}),
  open: async () => ({ database: undefined as unknown as Database }),
  internals: {},
  sections: {},
}

defineService({ ...parts, endpoints: { renameThing: rename, removeThing: remove } })
// @ts-expect-error: an endpoint without a handler.
defineService({ ...parts, endpoints: { renameThing: rename } })
defineService({
  ...parts,
  // @ts-expect-error: a handler without an endpoint.
  endpoints: { renameThing: rename, removeThing: remove, paintThing: remove },
})
// @ts-expect-error: the handler of another endpoint.
defineService({ ...parts, endpoints: { renameThing: remove, removeThing: remove } })
