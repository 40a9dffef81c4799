import { contracts } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routeTable } from './route-table.ts'

const table = routeTable(Object.values(contracts))

const operationAt = (method: string, url: string): string => {
  const found = table.find(method, url)
  return found.kind === 'route' ? `${found.door} ${found.route.service}.${found.route.operation}` : found.kind
}

describe('routes follow from the contracts', () => {
  it('finds every endpoint of every contract through both doors', () => {
    for (const contract of Object.values(contracts)) {
      for (const [operation, endpoint] of Object.entries(contract.endpoints)) {
        // An integer and a text at the same place are different endpoints.
        const path = endpoint.path.replace(/\{(\w+)\}/g, (_: string, name: string) =>
          (endpoint.params as z.ZodRawShape)[name] instanceof z.ZodNumber ? '7' : 'seven@x.example',
        )
        expect(operationAt(endpoint.method, `/api/v1${path}?x=1`)).toBe(
          endpoint.doors === 'session' ? 'nowhere' : `api ${contract.name}.${operation}`,
        )
        expect(operationAt(endpoint.method, `/json${path}`)).toBe(`json ${contract.name}.${operation}`)
      }
    }
  })

  it('reaches one place in both spellings of the site, and doubles nothing', () => {
    expect(operationAt('GET', '/api/v1/users/me')).toBe('api identity.getOwnUser')
    expect(operationAt('GET', '/v1/users/me')).toBe('api identity.getOwnUser')
    const found = table.find('GET', '/v1/users/me?a=b%2Fc&a=d')
    expect(found).toMatchObject({ upstreamPath: '/api/v1/users/me?a=b%2Fc&a=d' })
    expect(operationAt('GET', '/api/api/v1/users/me')).toBe('nowhere')
    expect(operationAt('GET', '/api/v1/v1/users/me')).toBe('nowhere')
  })

  it('tells an ID from another segment, and takes a trailing slash', () => {
    expect(operationAt('GET', '/api/v1/users/12')).toBe('api identity.getUser')
    expect(operationAt('GET', '/api/v1/users/12/')).toBe('api identity.getUser')
    expect(operationAt('GET', '/api/v1/users/me/')).toBe('api identity.getOwnUser')
  })

  it('names the methods of a path that exists', () => {
    expect(table.find('PUT', '/api/v1/messages')).toEqual({ kind: 'other-methods', allowed: ['GET', 'POST'] })
    expect(table.find('HEAD', '/api/v1/events')).toEqual({
      kind: 'other-methods',
      allowed: ['GET', 'DELETE'],
    })
    expect(table.find('BREW', '/api/v1/events')).toEqual({
      kind: 'other-methods',
      allowed: ['GET', 'DELETE'],
    })
  })

  it.each([
    '/',
    '',
    '*',
    '/api/v1',
    '/api/v1/',
    '/api/v10/users',
    '/internal/authenticate',
    '/api/v1/internal/authenticate',
    '/api/v1/../internal/authenticate',
    '/api/v1/..%2Finternal/authenticate',
    '/api/v1//users',
    '/API/V1/users',
    'http://localhost/api/v1/users',
    '/api/v1/__proto__',
  ])('has nothing at %j', (url) => {
    expect(operationAt('POST', url)).toBe('nowhere')
  })

  it('calls broken percent-encoding unreadable', () => {
    expect(operationAt('GET', '/api/v1/users/%zz')).toBe('unreadable')
    expect(operationAt('GET', '/api/v1/users/%')).toBe('unreadable')
  })
})
