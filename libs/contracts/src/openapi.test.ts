import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { clientEvents, contracts } from './catalogue.ts'
import { changelog } from './changelog.ts'
import { serviceContract } from './contract.ts'
import { endpoint, publicPath } from './endpoint.ts'
import { errors } from './errors.ts'
import { openApiDocument } from './openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth.
const document = openApiDocument(Object.values(contracts)) as any

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const outcome = await new Validator().validate(structuredClone(document))
    expect(outcome).toEqual({ valid: true })
    expect(document.openapi).toBe('3.1.0')
  })

  it('holds every endpoint with every parameter, reply field, error and its level', () => {
    for (const contract of Object.values(contracts)) {
      for (const [name, declared] of Object.entries(contract.endpoints)) {
        const operation = document.paths[publicPath(declared)][declared.method.toLowerCase()]
        expect(operation).toMatchObject({
          operationId: name,
          summary: declared.summary,
          'x-since-feature-level': declared.since,
        })
        const sent = [
          ...operation.parameters.map((parameter: { name: string }) => parameter.name),
          ...Object.keys(
            operation.requestBody?.content['application/x-www-form-urlencoded']?.schema.properties ?? {},
          ),
        ]
        expect(sent.toSorted()).toEqual(Object.keys(declared.params).toSorted())
        if (declared.body === 'stream' && declared.method !== 'DELETE')
          expect(operation.requestBody.content).not.toHaveProperty(['application/x-www-form-urlencoded'])
        const form = operation.requestBody?.content['multipart/form-data']?.schema.properties ?? {}
        expect(Object.keys(form).filter((field) => !sent.includes(field))).toEqual(
          declared.file === null ? [] : [declared.file.name],
        )
        if (declared.answer === 'json') {
          const [, success] = operation.responses[200].content['application/json'].schema.allOf
          expect(Object.keys(success.properties ?? {}).toSorted()).toEqual(
            Object.keys(declared.reply).toSorted(),
          )
        } else expect(operation.responses[200].content).toHaveProperty(['*/*'])
        const named = /\{/.test(declared.path)
        expect(operation.responses[404].description.split(', ').includes('NOT_FOUND')).toBe(named)
        expect('413' in operation.responses).toBe(!['GET', 'HEAD'].includes(declared.method))
        for (const error of declared.errors as (keyof typeof errors)[]) {
          expect(operation.responses[errors[error].status].description).toContain(error)
        }
      }
    }
  })

  it('refers to nothing that is not there', () => {
    for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(document.components.schemas).toHaveProperty(name!)
    }
  })
})

describe('the changelog', () => {
  it('lists what came with each level, the latest first', () => {
    const at = (path: `/${string}`, since: number) =>
      endpoint({
        method: 'GET',
        path,
        service: 'identity',
        summary: `Reads ${path}.`,
        since,
        access: 'anyone',
        params: { q: z.string() },
        reply: {},
      })
    const room = serviceContract('identity', {
      endpoints: { old: at('/old', 1), b: at('/b', 20), a: at('/a', 20), c: at('/c', 300) },
      internals: {},
      sections: {},
    })
    expect(changelog([room], [])).toEqual([
      { feature_level: 300, changes: ['New endpoint GET /c: Reads /c.'] },
      { feature_level: 20, changes: ['New endpoint GET /a: Reads /a.', 'New endpoint GET /b: Reads /b.'] },
    ])
    const levels = changelog(Object.values(contracts), Object.values(clientEvents))
    expect(levels.map((level) => level.feature_level)).toEqual(
      levels.map((level) => level.feature_level).toSorted((one, other) => other - one),
    )
  })
})
