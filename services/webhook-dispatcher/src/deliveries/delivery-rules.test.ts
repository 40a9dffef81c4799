import { describe, expect, it } from 'vitest'
import type { CallOutcome } from '../calls/call-receiver.ts'
import { judgeReceiver } from '../receivers/receiver-health.ts'
import { sampleMessage } from '../testing/sample-message.ts'
import { judgeCall, judgeWaitedInVain } from './attempt-judgement.ts'
import { nextTry, type Phase, pauses, replyWindow, wishedPause } from './delivery-schedule.ts'
import type { Claimed } from './delivery-store.ts'

const hour = 3600
const now = new Date('2026-11-21T08:00:00Z')

/** Pauses of a delivery that always fails, in seconds, by phase. */
const life = (chance: number, callSeconds = 10) => {
  const tries: { phase: Phase; pause: number }[] = [{ phase: 'interactive', pause: 0 }]
  let state = { phase: 'interactive' as Phase, phaseAttempts: 0, age: 0 }
  for (;;) {
    const age = state.age + callSeconds
    const next = nextTry({ ...state, phaseAttempts: state.phaseAttempts + 1, age, least: 0, chance })
    if (next.kind === 'over') return tries
    tries.push({ phase: next.phase, pause: next.pause })
    state = { phase: next.phase, phaseAttempts: next.phaseAttempts, age: age + next.pause }
  }
}

describe('a delivery that always fails', () => {
  it.each([0, 0.5, 1])(
    'is tried a few times within minutes, then at least ten times over 75 hours (%d)',
    (chance) => {
      const tries = life(chance)
      const quick = tries.filter(({ phase }) => phase === 'interactive')
      const slow = tries.filter(({ phase }) => phase === 'long')
      expect(quick.length).toBeGreaterThanOrEqual(3)
      expect(quick.reduce((sum, { pause }) => sum + pause, 0)).toBeLessThan(replyWindow)
      expect(slow.length).toBeGreaterThanOrEqual(10)
      expect(slow.reduce((sum, { pause }) => sum + pause, 0)).toBeGreaterThanOrEqual(75 * hour)
      expect(tries.length).toBe(quick.length + slow.length)
    },
  )

  it('is not tried together with all others that failed with it', () => {
    const [early, late] = [life(0), life(1)]
    for (const [place, { pause }] of early.entries()) {
      if (pause > 0) expect(late[place]!.pause).toBeCloseTo(pause * 1.1)
    }
  })

  it('is tried once more when a person asks for it, and no more', () => {
    expect(nextTry({ phase: 'manual', phaseAttempts: 1, age: 0, least: 0, chance: 0 })).toEqual({
      kind: 'over',
    })
    expect(pauses.manual).toEqual([0])
  })

  it('waits as long as the receiver wishes, within reason', () => {
    const wish = (text: string) => wishedPause(text, now)
    expect(wish('120')).toBe(120)
    expect(wish('Sat, 21 Nov 2026 08:01:00 GMT')).toBe(60)
    expect(wish('Sat, 21 Nov 2026 07:00:00 GMT')).toBe(0)
    expect(wish('99999999999')).toBe(24 * hour)
    for (const nonsense of ['', 'soon', '-5', 'NaN', '1e9x']) expect(wish(nonsense)).toBe(0)
    expect(wishedPause(undefined, now)).toBe(0)
    const soon = nextTry({ phase: 'interactive', phaseAttempts: 1, age: 0, least: 60, chance: 0 })
    expect(soon).toMatchObject({ phase: 'interactive', pause: 60 })
    const late = nextTry({ phase: 'interactive', phaseAttempts: 1, age: 0, least: hour, chance: 0 })
    expect(late).toMatchObject({ phase: 'long', phaseAttempts: 0, pause: hour })
  })
})

const given = (more: Partial<Claimed['delivery']> = {}) => ({
  delivery: {
    id: 1,
    public_id: 'msg_1',
    realm_id: 7,
    bot_id: 9,
    message_id: 3,
    trigger: 'direct_message',
    state: 'pending',
    failure: null,
    phase: 'interactive',
    phase_attempts: 0,
    attempts: 0,
    last_status: null,
    created_at: now,
    due_at: now,
    message: sampleMessage(3),
    traceparent: null,
    lease: 'x',
    age: 1,
    ...more,
  } as Claimed['delivery'],
  receiver: {
    bot_id: 9,
    realm_id: 7,
    owner_id: 2,
    is_active: true,
    full_name: 'Bot',
    email: 'b@x',
    url: 'http://x/',
    interface: 1,
    token: 't',
    secret: 's',
    previous_secret: null,
    previous_secret_until: null,
    failures: 0,
    paused_until: null,
    failing_since: null,
    last_success_at: null,
    disabled_at: null,
    disabled_reason: null,
  } as Claimed['receiver'],
  realmUrl: 'http://acme.x',
  now,
  chance: 0,
})

const answer = (status: number, body = '', retryAfter?: string): CallOutcome => ({
  kind: 'answered',
  status,
  body,
  isWhole: true,
  retryAfter,
})

describe('the outcome of a call', () => {
  it('2xx delivers, and what it says is posted in the conversation', () => {
    for (const status of [200, 201, 204, 299]) {
      expect(judgeCall(given(), answer(status))).toMatchObject({ fate: { state: 'delivered' }, posts: [] })
    }
    expect(judgeCall(given(), answer(200, '{"content":"hi","widget_content":"{}"}')).posts).toMatchObject([
      { kind: 'reply', content: 'hi', widget_content: '{}' },
    ])
    const { posts } = judgeCall(given(), answer(200, '{"content":"hi"}'))
    expect(posts).toMatchObject([{ kind: 'reply', content: 'hi', recipients: { user_ids: [1, 9] } }])
    const channel = sampleMessage(4, {
      type: 'stream',
      stream_id: 12,
      display_recipient: 'plaza',
      subject: 'talk',
    })
    expect(judgeCall(given({ message: channel }), answer(200, '{"content":"hi"}')).posts).toMatchObject([
      { recipients: { channel_id: 12, topic: 'talk' } },
    ])
  })

  it('posts nothing once nobody waits any more', () => {
    const late = { age: replyWindow + 1, phase: 'long' as const }
    for (const body of ['{"content":"hi"}', 'no JSON']) {
      expect(judgeCall(given(late), answer(200, body))).toMatchObject({
        fate: { state: 'delivered' },
        posts: [],
      })
    }
  })

  it('3xx and 4xx are final, and told at once', () => {
    for (const status of [301, 302, 307, 308, 400, 401, 404, 405]) {
      const { fate, posts, finding } = judgeCall(given(), answer(status, 'why'))
      expect(fate.state).toBe('failed')
      expect(finding?.kind).toBe('refused')
      expect(posts.map(({ kind }) => kind)).toEqual(['notice', 'owner_notice'])
    }
    expect(judgeCall(given(), answer(410)).finding?.kind).toBe('gone')
  })

  it('5xx, 408, 425, 429 and no answer are tried again, quietly until nobody waits any more', () => {
    const outcomes = [500, 502, 503, 504, 408, 425, 429].map((status) => answer(status))
    for (const outcome of [...outcomes, { kind: 'unreachable', reason: 'x' } as const]) {
      const first = judgeCall(given(), outcome)
      expect(first.fate).toMatchObject({ state: 'pending', phase: 'interactive', phaseAttempts: 1, pause: 5 })
      expect(first.posts).toEqual([])
      const last = judgeCall(given({ phase_attempts: 3, attempts: 3, age: 200 }), outcome)
      expect(last.fate).toMatchObject({ state: 'pending', phase: 'long', phaseAttempts: 0 })
      expect(last.posts.map(({ kind }) => kind)).toEqual(['notice', 'owner_notice'])
      const later = judgeCall(given({ phase: 'long', phase_attempts: 4, attempts: 8, age: 9000 }), outcome)
      expect(later).toMatchObject({ fate: { phase: 'long', phaseAttempts: 5 }, posts: [] })
      const end = judgeCall(given({ phase: 'long', phase_attempts: 10, attempts: 14, age: 300_000 }), outcome)
      expect(end.fate.state).toBe('failed')
      expect(end.posts.map(({ kind }) => kind)).toEqual(['owner_notice'])
    }
    expect(judgeCall(given(), answer(429, '', '40')).fate).toMatchObject({ pause: 40 })
    expect(judgeCall(given(), answer(500, '', '40')).fate).toMatchObject({ pause: 5 })
  })

  it('is told to nobody when a person asked for the attempt', () => {
    for (const outcome of [answer(404), answer(500), { kind: 'unreachable', reason: 'x' } as const]) {
      const { fate, posts } = judgeCall(given({ phase: 'manual' }), outcome)
      expect([fate.state, posts]).toEqual(['failed', []])
    }
  })

  it('that never came because the receiver is paused is told when patience is over', () => {
    const { fate, posts } = judgeWaitedInVain(given({ age: replyWindow + 1 }))
    expect(fate).toMatchObject({ state: 'pending', phase: 'long', phaseAttempts: 0 })
    expect(posts[0]).toMatchObject({ kind: 'notice', content: 'Failure! Bot is unavailable' })
  })
})

describe('a receiver', () => {
  const healthy = { failures: 0, paused_until: null, failing_since: null, last_success_at: null }
  const fail = (times: number) => {
    let health = judgeReceiver(healthy, 'down', now, 0)
    for (let count = 1; count < times; count += 1) health = judgeReceiver(health, 'down', now, 0)
    return health
  }
  const pauseOf = (times: number) => {
    const until = fail(times).paused_until
    return until === null ? 0 : (until.getTime() - now.getTime()) / 1000
  }

  it('is paused after some failures in a row, longer each time, five minutes at most', () => {
    expect([1, 4, 5, 6, 7, 20, 2000].map(pauseOf)).toEqual([0, 0, 15, 30, 60, 300, 300])
    expect(judgeReceiver(fail(20), 'success', now, 0)).toMatchObject({
      failures: 0,
      paused_until: null,
      failing_since: null,
    })
  })

  it('is left alone as long as it asked for', () => {
    const until = judgeReceiver(healthy, 'down', now, 90).paused_until
    expect(until).toEqual(new Date(now.getTime() + 90_000))
  })

  it('is disabled when it says that it is gone, and after days of nothing but failures', () => {
    expect(judgeReceiver(healthy, 'gone', now, 0).disable).toBe('gone')
    const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
    expect(judgeReceiver({ ...fail(9), failing_since: daysAgo(3) }, 'down', now, 0).disable).toBe('failing')
    expect(judgeReceiver({ ...fail(9), failing_since: daysAgo(2.9) }, 'down', now, 0).disable).toBe(null)
    expect(judgeReceiver({ ...fail(3), failing_since: daysAgo(9) }, 'refused', now, 0).disable).toBe(null)
    expect(judgeReceiver({ ...fail(9), failing_since: daysAgo(9) }, 'success', now, 0).disable).toBe(null)
  })
})
