import { afterEach, expect, it } from 'vitest'
import { HeartbeatWheel } from './heartbeat-wheel.ts'

const due: string[] = []
const wheel = new HeartbeatWheel<{ slot: number; name: string }>(({ name }) => due.push(name))
afterEach(() => wheel.stop())

it('calls each item after its seconds, once, unless it is taken off', () => {
  const item = (name: string) => ({ slot: -1, name })
  const gone = item('gone')
  wheel.put(item('ten'), 10)
  wheel.put(item('fifty'), 49.2)
  wheel.put(gone, 10)
  wheel.takeOff(gone)
  for (let second = 0; second < 9; second += 1) wheel.tick()
  expect(due).toEqual([])
  wheel.tick()
  expect(due).toEqual(['ten'])
  for (let second = 10; second < 49; second += 1) wheel.tick()
  expect(due).toEqual(['ten'])
  wheel.tick()
  expect(due).toEqual(['ten', 'fifty'])
  for (let second = 0; second < 200; second += 1) wheel.tick()
  expect(due).toEqual(['ten', 'fifty'])
})
