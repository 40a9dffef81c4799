import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contracts } from './catalogue.ts'
import { endpoint, pathParameters, publicPath, routedParameters, routerPath } from './endpoint.ts'

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

  it('gives the rest of a path to its last parameter', () => {
    const file = { path: '/files/{realm_id}/{path*}', params: { realm_id: z.int(), path: z.string() } }
    expect(routerPath(file)).toBe('/files/:realm_id(^-?\\d+$)/*')
    expect(pathParameters(file.path)).toEqual(['realm_id', 'path'])
    expect(routedParameters(file, { realm_id: '7', '*': 'a/b' })).toEqual({ realm_id: '7', path: 'a/b' })
  })
})

it("lets a browser's session in at the server's own address", () => {
  const file = endpoint({
    method: 'GET',
    root: 'server',
    path: '/files/{path*}',
    service: 'uploads',
    summary: 'x',
    access: 'authenticated',
    params: { path: z.string() },
    reply: {},
  })
  expect([file.doors, publicPath(file)]).toEqual(['files', '/files/{path}'])
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

  it('keeps the addresses of the house itself free, and says how each server path is entered', () => {
    for (const { operation, declared } of all) {
      if (declared.root === 'server') {
        expect(declared.path, operation).not.toMatch(/^\/(api|json|v1|internal|health)(\/|$)/)
        expect(['files', 'open'], operation).toContain(declared.doors)
      }
      if (declared.doors === 'open') expect(declared.access, operation).toBe('anyone')
      expect(declared.path.replace(/\{\w+\*\}$/, ''), operation).not.toContain('*')
    }
  })

  it('gives each operation and each method-and-path to one endpoint, of the service that lists it', () => {
    const operations = all.map(({ operation }) => operation)
    const routes = all.map(({ declared }) => `${declared.method} ${declared.root} ${declared.path}`)
    expect(new Set(operations).size).toBe(operations.length)
    expect(new Set(routes).size).toBe(routes.length)
    for (const { contract, declared } of all) expect(declared.service).toBe(contract.name)
  })

  it('calls brief only what fits on a link', () => {
    const brief = all.filter(({ declared }) => declared.brief)
    expect(brief.map(({ operation }) => operation)).toContain('sendMessage')
    for (const { operation, declared } of brief) {
      expect(pathParameters(declared.path), operation).toEqual([])
      expect(declared, operation).toMatchObject({
        method: 'POST',
        root: 'api',
        access: 'authenticated',
        body: 'parameters',
        file: null,
        answer: 'json',
        longPoll: false,
        logInName: null,
        opensSession: false,
        realmless: false,
      })
    }
  })
})
