import { expect, it } from 'vitest'
import { planSections } from './section-plan.ts'

it('asks each service for the sections that it owns, and knows which events they contain', () => {
  const everybodys = { service: 'identity', sections: ['own_choices'], covers: [] }
  expect(planSections([])).toEqual([everybodys])
  expect(planSections(['subscription', 'message', 'no such section'])).toEqual([
    everybodys,
    {
      service: 'channels',
      sections: ['message', 'subscription'],
      covers: ['message', 'subscription', 'stream'],
    },
  ])
  expect(planSections(['realm_user']).map(({ service }) => service)).toEqual(['identity'])
})

it('asks for a section that goes with another only together with that', () => {
  const namesOf = (types: string[]) => planSections(types).flatMap(({ sections }) => sections)
  expect(namesOf(['update_message_flags'])).toEqual(['own_choices'])
  expect(namesOf(['update_message_flags', 'message'])).toContain('update_message_flags')
})

it('asks for everything when nothing is named', () => {
  const all = planSections(null)
  expect(all.flatMap(({ sections }) => sections)).toEqual(
    expect.arrayContaining(['realm_user', 'message', 'subscription']),
  )
})
