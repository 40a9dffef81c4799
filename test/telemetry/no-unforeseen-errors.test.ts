/** Runs after all other tests: whatever they sent, no service met what it had not foreseen. */
import { expect, it } from 'vitest'
import { unforeseenErrors } from './unforeseen-errors.ts'

it('no service of the run answered anybody with a 500', async () => {
  expect(await unforeseenErrors(process.env.PARLEY_LOGS!)).toEqual([])
})
