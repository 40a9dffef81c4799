import { contracts, endpoint, serviceContract } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routeTable } from './route-table.ts'

const table = routeTable(Object.values(contracts))

const operationAt = (method: string, url: string): string => {
  const found = table.find(method, url)
  return found.kind === 'route' ? `${found.door} ${found.route.service}.${found.route.operation}` : found.kind
}

const files = serviceContract('uploads', {
  endpoints: {
    readFile: endpoint({
      method: 'GET',
      root: 'server',
      path: '/files/{realm_id}/{path*}',
      service: 'uploads',
      summary: 'x',
      access: 'authenticated',
      answer: 'stream',
      params: { realm_id: z.int(), path: z.string() },
      reply: {},
    }),
  },
  internals: {},
  sections: {},
})

describe("routes at the server's own address", () => {
  const table = routeTable([files])
  it.each([
    ['/files/2/a/b.png', 'a/b.png'],
    ['/files/2/a%2Fb.png?x=/y', 'a/b.png'],
    ['/files/2/%E2%98%83/100%25', '☃/100%'],
    ['/files/2/a%252Fb', 'a%2Fb'],
    ['/files/2/../3/x', '../3/x'],
  ])('%s: decodes after it was matched, and hands the target on as it came', (url, path) => {
    expect(table.find('GET', url)).toMatchObject({
      door: 'server',
      upstreamPath: url,
      pathParameters: { realm_id: '2', path },
    })
  })
  it('answers HEAD where something raw is handed out, and names both methods', () => {
    expect(table.find('HEAD', '/files/2/a')).toMatchObject({ kind: 'route' })
    expect(table.find('POST', '/files/2/a')).toEqual({ kind: 'other-methods', allowed: ['GET', 'HEAD'] })
  })
  it.each([
    '/files/x/a',
    '/files',
    '/files/2/',
    '/api/v1/files/2/a',
    '/json/files/2/a',
    '//files/2/a',
    'files/2/a',
  ])('has nothing at %s', (url) => {
    expect(table.find('GET', url).kind).toBe('nowhere')
  })
  it('finds broken percent-encoding in the rest of a path', () => {
    expect(table.find('GET', '/files/2/%ff%fe').kind).toBe('unreadable')
  })
})

describe('routes follow from the contracts', () => {
  it('finds every endpoint of every contract through both doors', () => {
    for (const contract of Object.values(contracts)) {
      for (const [operation, endpoint] of Object.entries(contract.endpoints)) {
        // An integer and a text at the same place are different endpoints.
        const path = endpoint.path.replace(/\{(\w+)\}/g, (_: string, name: string) =>
          (endpoint.params as z.ZodRawShape)[name] instanceof z.ZodNumber ? '7' : 'seven@x.example',
        )
        if (endpoint.root === 'server') {
          expect(operationAt(endpoint.method, path)).toBe(`server ${contract.name}.${operation}`)
          const own = `${contract.name}.${operation}`
          expect(operationAt(endpoint.method, `/api/v1${path}`)).not.toBe(`api ${own}`)
          expect(operationAt(endpoint.method, `/json${path}`)).not.toBe(`json ${own}`)
          continue
        }
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
    expect(table.find('HEAD', '/api/v1/messages')).toMatchObject({ kind: 'route' })
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
