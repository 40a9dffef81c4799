import { eventually } from '@parley/testkit'
import { register } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { assignmentOf, move, type Slot } from './assignment.ts'
import type { Bus } from './bus.ts'
import type { Membership } from './membership.ts'
import { watchProgress } from './progress-watch.ts'

const topic = 'facts'
let end = 50
const bus = {
  ranges: async () => [{ partition: 0, start: 10, end }],
  ready: async () => {},
  log: { warn: () => {} },
} as unknown as Bus

/** The lag that is measured, once it was. */
const lag = async (label: string): Promise<number | undefined> => {
  const values = (await register.getSingleMetric('parley_consumer_lag_records')!.get()).values
  return values.find(({ labels }) => labels.consumer === label)?.value
}

describe('the lag of a consumer', () => {
  let stop = () => {}
  afterEach(() => stop())

  const watch = (label: string, slot: Slot, stuckAfter: number, onStuck = () => {}): void => {
    const membership = { slots: [slot], joinedAt: 1 } as unknown as Membership
    stop = watchProgress({ bus, label, topics: [topic], membership: () => membership, stuckAfter, onStuck })
  }
  const slotOf = (): Slot => assignmentOf({ [topic]: [0] }).slots[0]!

  it('is what it has not handled', async () => {
    const slot = slotOf()
    move(slot, 45)
    watch('follows', slot, 1000)
    await eventually(async () => expect(await lag('follows')).toBe(5))
    move(slot, 50)
    await eventually(async () => expect(await lag('follows')).toBe(0))
  })

  it('is everything while it does not know where it stands, and it is not replaced for that', async () => {
    const slot = slotOf()
    let isReplaced = false
    watch('lost', slot, 20, () => {
      isReplaced = true
    })
    await eventually(async () => expect(await lag('lost')).toBe(40))
    move(slot, 50)
    await eventually(async () => expect(await lag('lost')).toBe(0))
    expect(isReplaced).toBe(false)
  })

  it('counts from where it last stood when its place is lost', async () => {
    const slot = slotOf()
    move(slot, 30)
    watch('remembers', slot, 1000)
    await eventually(async () => expect(await lag('remembers')).toBe(20))
    slot.position = undefined
    end = 60
    await eventually(async () => expect(await lag('remembers')).toBe(30))
  })
})
