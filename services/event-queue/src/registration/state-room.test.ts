import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StateRoom } from './state-room.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const mib = 1024 * 1024

it('lets others wait while too much is held, and in, in their order, when it is given back', async () => {
  const room = new StateRoom(10 * mib)
  const [one, other] = [await room.enter(), await room.enter()]
  one.add(5 * mib)
  other.add(5 * mib)
  expect(room.held).toBe(10 * mib)
  const entered: number[] = []
  for (const name of [1, 2, 3]) void room.enter().then(() => entered.push(name))
  await vi.advanceTimersByTimeAsync(10)
  expect(entered).toEqual([])
  one.release()
  one.release()
  // The next one is expected to be as large.
  await vi.advanceTimersByTimeAsync(10)
  expect(entered).toEqual([1])
  expect(room.held).toBe(10 * mib)
  other.release()
  await vi.advanceTimersByTimeAsync(10)
  expect(entered).toEqual([1, 2])
})

it('has room for one state, however large', async () => {
  const room = new StateRoom(mib)
  const one = await room.enter()
  one.add(20 * mib)
  one.release()
  expect(room.held).toBe(0)
  ;(await room.enter()).add(1)
  expect(room.held).toBeGreaterThan(mib)
})

it('refuses who has waited for long, and forgets who never took its state', async () => {
  const room = new StateRoom(mib)
  ;(await room.enter()).add(mib)
  const late = expect(room.enter()).rejects.toMatchObject({ error: 'SERVER_NOT_READY' })
  await vi.advanceTimersByTimeAsync(5000)
  await late
  await vi.advanceTimersByTimeAsync(60_000)
  expect(room.held).toBe(0)
  await room.enter()
})
