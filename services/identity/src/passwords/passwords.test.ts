import { ApiError } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { bounded } from './bounded.ts'
import { openPasswords } from './passwords.ts'

const opened = <T>(): { promise: Promise<T>; open: (value: T) => void } => {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { promise, open: resolve }
}

describe('passwords', () => {
  it('fit only themselves, and nobody without one', async () => {
    const passwords = await openPasswords(2)
    const stored = await passwords.hash('correct horse ✓')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await passwords.fits('correct horse ✓', stored)).toBe(true)
    expect(await passwords.fits('correct horse', stored)).toBe(false)
    expect(await passwords.fits('', stored)).toBe(false)
    expect(await passwords.fits('correct horse ✓', null)).toBe(false)
  })

  it('are stored differently each time', async () => {
    const passwords = await openPasswords(1)
    expect(await passwords.hash('same')).not.toBe(await passwords.hash('same'))
  })

  it('leave the event loop free while they are checked', async () => {
    const passwords = await openPasswords(2)
    let turns = 0
    const ticker = setInterval(() => {
      turns += 1
    }, 1)
    await Promise.all(Array.from({ length: 8 }, () => passwords.fits('x', null)))
    clearInterval(ticker)
    expect(turns).toBeGreaterThan(10)
  })
})

describe('bounded work', () => {
  it('never runs more than allowed, loses nobody, keeps the order', async () => {
    const inTurn = bounded({ running: 3, waiting: 100, patience: 10_000 })
    let now = 0
    let most = 0
    const finished: number[] = []
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        inTurn(async () => {
          now += 1
          most = Math.max(most, now)
          await new Promise(setImmediate)
          now -= 1
          finished.push(n)
        }),
      ),
    )
    expect(most).toBe(3)
    expect(finished).toEqual(Array.from({ length: 50 }, (_, n) => n))
  })

  it('turns away who finds the waiting room full, at once and with a time to come back', async () => {
    const inTurn = bounded({ running: 1, waiting: 1, patience: 10_000 })
    const door = opened<string>()
    const first = inTurn(() => door.promise)
    const second = inTurn(async () => 'second')
    const third = await inTurn(async () => 'third').catch((error: unknown) => error)
    expect(third).toBeInstanceOf(ApiError)
    expect((third as ApiError).status).toBe(503)
    expect((third as ApiError).headers['retry-after']).toBe('2')
    door.open('first')
    expect(await Promise.all([first, second])).toEqual(['first', 'second'])
  })

  it('turns away who waited too long, and gives the turn to the next', async () => {
    const inTurn = bounded({ running: 1, waiting: 10, patience: 20 })
    const door = opened<string>()
    const first = inTurn(() => door.promise)
    await expect(inTurn(async () => 'late')).rejects.toMatchObject({ error: 'SERVER_NOT_READY' })
    door.open('first')
    await first
    expect(await inTurn(async () => 'next')).toBe('next')
  })

  it('gives the turn on after a failure', async () => {
    const inTurn = bounded({ running: 1, waiting: 10, patience: 10_000 })
    const failing = inTurn(async () => {
      throw new Error('boom')
    })
    const following = inTurn(async () => 'following')
    await expect(failing).rejects.toThrow('boom')
    expect(await following).toBe('following')
  })
})
