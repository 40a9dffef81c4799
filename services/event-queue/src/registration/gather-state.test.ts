import { type AnySection, type Caller, contracts, EngineUnavailableError } from '@parley/contracts'
import { registerQueue } from '@parley/contracts/event-queue/queues'
import type { Ask } from '@parley/kit'
import { expect, it } from 'vitest'
import { gatherState } from './gather-state.ts'
import { StateRoom } from './state-room.ts'

const snapshot = { xmin: 1, xmax: 1, xip: [] }
const caller = { realm: { id: 1, subdomain: '', url: '' }, user: null, client: 'test' } as Caller
const request = (service: 'identity' | 'channels' | 'presence') => ({
  service,
  sections: ['x'],
  covers: [`${service} event`],
})

/** A service that answers in pieces of so many bytes, and may break off. */
async function* answered(text: string, length: number, breaks = false): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(`${JSON.stringify({ snapshot })}\n${text}`)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
  if (breaks) throw new Error('terminated')
}
const gather = async (answers: Record<string, AsyncIterable<Uint8Array>>) => {
  const share = await new StateRoom(1e6).enter()
  const ask = (async ({ service }: { service: string }) => answers[service]) as unknown as Ask
  const requests = (Object.keys(answers) as 'identity'[]).map(request)
  return gatherState(ask, caller, requests, {} as never, share)
}

it('puts what the services wrote together, wherever it was cut, and leaves it as it is', async () => {
  for (const length of [1, 7, 1000]) {
    const { pieces, known } = await gather({
      identity: answered('"a":"é\\n","b":[1, 2]', length),
      channels: answered('', length),
      presence: answered('"c":{}', length),
    })
    expect(JSON.parse(`{${Buffer.concat(pieces)}}`)).toEqual({ a: 'é\n', b: [1, 2], c: {} })
    expect(known.channels).toEqual({ types: ['channels event'], snapshot })
  }
  expect((await gather({})).pieces).toEqual([])
  expect((await gather({ channels: answered('', 9) })).pieces).toEqual([])
})

it('is whole or refused: not when a service breaks off, nor when it says nothing', async () => {
  const broken = gather({ identity: answered('"a":1', 5), channels: answered('"b":[', 5, true) })
  await expect(broken).rejects.toBeInstanceOf(EngineUnavailableError)
  const silent = gather({ identity: (async function* () {})() })
  await expect(silent).rejects.toBeInstanceOf(EngineUnavailableError)
})

it('needs no field that two sections have', () => {
  const fields = Object.values(contracts).flatMap(({ sections }) =>
    Object.values<AnySection>(sections).flatMap((section) => Object.keys(section.fields)),
  )
  expect(fields.length).toBeGreaterThan(100)
  expect(fields.filter((field, place) => fields.indexOf(field) !== place)).toEqual([])
  // Nor one that every registration is told.
  const own = Object.keys(registerQueue.reply).filter((field) => !fields.includes(field))
  expect(own.toSorted()).toEqual([
    'event_queue_longpoll_timeout_seconds',
    'idle_queue_timeout_secs',
    'last_event_id',
    'max_bulk_new_subscription_messages',
    'max_reminder_note_length',
    'queue_id',
    'server_emoji_data_url',
    'server_generation',
    'service_feature_level',
    'zulip_feature_level',
    'zulip_merge_base',
    'zulip_version',
  ])
})
