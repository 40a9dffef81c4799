import { expect, it } from 'vitest'
import { StateRoom } from './state-room.ts'

it('lets nobody begin while too much is held, and knows when it is given back', () => {
  const room = new StateRoom(100)
  const [one, other] = [room.enter(), room.enter()]
  one.add(60)
  other.add(60)
  expect(room.held).toBe(120)
  expect(() => room.enter()).toThrowError('Too many registrations')
  one.release()
  one.release()
  one.add(500)
  expect(room.held).toBe(60)
  room.enter().add(1)
  other.release()
  expect(room.held).toBe(1)
})
