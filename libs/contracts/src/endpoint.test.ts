import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contracts } from './catalogue.ts'
import { endpoint, pathParameters, routerPath } from './endpoint.ts'

describe('paths', () => {
  it('keeps an integer segment and a text segment apart for the router', () => {
    const byId = endpoint({
      method: 'GET',
      path: '/users/{user_id}',
      service: 'identity',
      summary: 'x',
      access: 'authenticated',
      params: { user_id: z.int() },
      reply: {},
    })
    expect(routerPath(byId)).toBe('/users/:user_id(^-?\\d+$)')
    expect(routerPath({ path: '/users/{email}', params: { email: z.string() } })).toBe('/users/:email')
  })
})

describe('the catalogue', () => {
  const all = Object.values(contracts).flatMap((contract) =>
    Object.entries(contract.endpoints).map(([operation, declared]) => ({ contract, operation, declared })),
  )

  it('declares every path parameter', () => {
    for (const { operation, declared } of all) {
      for (const name of pathParameters(declared.path)) {
        expect(Object.keys(declared.params), operation).toContain(name)
      }
    }
  })

  it('gives each operation and each method-and-path to one endpoint, of the service that lists it', () => {
    const operations = all.map(({ operation }) => operation)
    const routes = all.map(({ declared }) => `${declared.method} ${declared.path}`)
    expect(new Set(operations).size).toBe(operations.length)
    expect(new Set(routes).size).toBe(routes.length)
    for (const { contract, declared } of all) expect(declared.service).toBe(contract.name)
  })
})
