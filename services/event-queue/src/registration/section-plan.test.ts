import { expect, it } from 'vitest'
import { planSections } from './section-plan.ts'

it('asks each service for the sections that it owns, and knows which events they contain', () => {
  expect(planSections(['subscription', 'message', 'no such section'])).toEqual([
    {
      service: 'channels',
      sections: ['message', 'subscription'],
      covers: ['message', 'subscription', 'stream'],
    },
  ])
  expect(planSections(['realm_user']).map(({ service }) => service)).toEqual(['identity'])
  expect(planSections([])).toEqual([])
})

it('asks for everything when nothing is named', () => {
  const all = planSections(null)
  expect(all.flatMap(({ sections }) => sections)).toEqual(
    expect.arrayContaining(['realm_user', 'message', 'subscription']),
  )
})
