import { expect, it } from 'vitest'
import { deletionFinding } from './deletion-rules.ts'

const [none, some] = [null, undefined]

it.each([
  // days, least, most, accepted
  [none, 14, none, true],
  [some, 14, none, true],
  [none, 14, 30, false],
  [some, 14, 30, false],
  [0, none, none, true],
  [0, none, 30, true],
  [0, 14, none, false],
  [0, 0, none, false],
  [-1, none, none, false],
  [1, none, none, true],
  [13, 14, 30, false],
  [14, 14, 30, true],
  [30, 14, 30, true],
  [31, 14, 30, false],
  [Number.MAX_SAFE_INTEGER, 14, none, false],
])('%s days with bounds %s to %s: %s', (days, min, max, isAccepted) => {
  expect(deletionFinding(days, { min, max }) === undefined).toBe(isAccepted)
})

it.each([
  [some, true, 5, false],
  [none, true, 5, false],
  [0, true, 5, true],
  [5, true, 5, true],
  [6, true, 5, false],
  [-1, true, 5, false],
  [0, false, 5, true],
  [1, false, 5, false],
])(
  'a demo organization: %s days, owner with an address %s, %s days left: %s',
  (days, hasOwnerEmail, daysLeft, isAccepted) => {
    expect(deletionFinding(days, { min: 14, max: none }, { hasOwnerEmail, daysLeft }) === undefined).toBe(
      isAccepted,
    )
  },
)
