/** The interface as an OpenAPI 3.1 document, derived from the contracts; nothing in it is written by hand. */
import { z } from 'zod'
import type { ServiceContract } from './contract.ts'
import { type AnyEndpoint, type FileParameter, pathParameters, publicPath } from './endpoint.ts'
import { type ErrorName, errors } from './errors.ts'
import { limits } from './limits.ts'
import { wireKind } from './parameter.ts'

type Json = Record<string, unknown>

/** What every endpoint that needs an account may refuse with, besides what its contract lists. */
const refusalsOfAccess: readonly ErrorName[] = [
  'UNAUTHORIZED',
  'INVALID_API_KEY',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
]

/** What any endpoint may refuse with. */
const refusalsOfAll: readonly ErrorName[] = [
  'BAD_REQUEST',
  'INVALID_JSON',
  'URI_TOO_LONG',
  'NONEXISTENT_SUBDOMAIN',
  'RATE_LIMIT_HIT',
  'INTERNAL_SERVER_ERROR',
  'SERVER_NOT_READY',
]

/** Values that hold values of their own kind (any JSON) are described down to where they repeat. */
const withoutRecursion = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutRecursion)
  if (typeof schema !== 'object' || schema === null) return schema
  if ('$ref' in schema) return {}
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== '$defs' && key !== '$schema')
      .map(([key, value]) => [key, withoutRecursion(value)]),
  )
}

/** A zod schema as JSON Schema 2020-12, whole in itself; `io` as z.toJSONSchema takes it. */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json =>
  withoutRecursion(z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })) as Json

const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success

/** JSON parameters travel as JSON text, others raw. */
const travelsAsJson = (schema: z.ZodType): boolean =>
  wireKind(schema) === 'json' || wireKind(schema) === 'either'

const queryOrPathParameter = (name: string, schema: z.ZodType, place: 'query' | 'path'): Json => ({
  name,
  in: place,
  required: place === 'path' || isRequired(schema),
  ...(travelsAsJson(schema) && place === 'query'
    ? { content: { 'application/json': { schema: schemaOf(schema, 'input') } } }
    : { schema: schemaOf(schema, 'input') }),
})

/** The form with a file in it; what its field is called does not matter. */
const withFile = <Form extends { schema: { properties: Json } }>(form: Form, file: FileParameter): Json => {
  const { schema } = form
  const description = `At most ${file.mebibytes} MiB; the field may have any name.`
  const field = { type: 'string', format: 'binary', description }
  return { ...form, schema: { ...schema, properties: { ...schema.properties, [file.name]: field } } }
}

const formBody = (entries: readonly (readonly [string, z.ZodType])[], file: FileParameter | null): Json => {
  const required = entries.filter(([, schema]) => isRequired(schema)).map(([name]) => name)
  const form = {
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, schema]) => [name, schemaOf(schema, 'input')])),
      ...(required.length === 0 ? {} : { required }),
    },
    encoding: Object.fromEntries(
      entries
        .filter(([, schema]) => travelsAsJson(schema))
        .map(([name]) => [name, { contentType: 'application/json' }]),
    ),
  }
  return {
    required: required.length > 0,
    content: {
      'application/x-www-form-urlencoded': form,
      'multipart/form-data': file === null ? form : withFile(form, file),
      'application/json': { schema: form.schema },
    },
  }
}

const bytes: Json = { '*/*': { schema: {} } }

/** A handler that streams answers with its own status: a redirection, a page, what its protocol says. */
const replies = (endpoint: AnyEndpoint): Json =>
  endpoint.answer === 'stream'
    ? {
        200: { description: 'The bytes.', content: bytes },
        // With content or, as redirections, without.
        default: { description: 'Another answer of this address, with a status of its own.' },
      }
    : { 200: jsonReply(endpoint) }

const streamedBody: Json = { content: bytes }

const jsonReply = (endpoint: AnyEndpoint): Json => ({
  description: 'Success.',
  headers: { 'X-RateLimit-Remaining': { schema: { type: 'integer' } } },
  content: {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Success' },
          schemaOf(z.looseObject(endpoint.reply as z.ZodRawShape), 'output'),
        ],
      },
    },
  },
})

const refusals = (endpoint: AnyEndpoint): Json => {
  const takesBody = endpoint.method !== 'GET' && endpoint.method !== 'HEAD'
  // People are refused by a page.
  const isPage = endpoint.answer === 'stream' && endpoint.root === 'server'
  const names = new Set<ErrorName>([
    ...(endpoint.errors as readonly ErrorName[]),
    // What stands in the path and cannot be the name of anything.
    ...(pathParameters(endpoint.path).length === 0 ? [] : (['NOT_FOUND'] as const)),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE'] as const) : []),
    ...(endpoint.access === 'anyone' ? [] : refusalsOfAccess),
    ...(Object.keys(endpoint.params).length === 0 ? [] : (['REQUEST_VARIABLE_MISSING'] as const)),
    ...refusalsOfAll,
  ])
  const byStatus = Map.groupBy(names, (name) => errors[name].status)
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([one], [other]) => one - other)
      .map(([status, group]) => [
        String(status),
        {
          description: group.join(', '),
          content: {
            'application/json': {
              schema: { anyOf: group.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
            },
            ...(isPage ? { 'text/html': { schema: {} } } : {}),
          },
        },
      ]),
  )
}

const session: Json = { session: [], csrfToken: [] }
const securityOf: Readonly<Record<AnyEndpoint['doors'], readonly Json[]>> = {
  both: [{ apiKey: [] }],
  files: [{ apiKey: [] }, session],
  session: [session],
  open: [],
}

const operation = (name: string, endpoint: AnyEndpoint): Json => {
  const params = endpoint.params as Record<string, z.ZodType>
  const inPath = new Set(pathParameters(endpoint.path))
  const others = Object.entries(params).filter(([parameter]) => !inPath.has(parameter))
  const takesForm = endpoint.method !== 'GET' && endpoint.method !== 'HEAD' && endpoint.body === 'parameters'
  const hasBody = takesForm && others.length > 0
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.service],
    parameters: [
      ...[...inPath].map((parameter) => queryOrPathParameter(parameter, params[parameter]!, 'path')),
      ...(hasBody
        ? []
        : others.map(([parameter, schema]) => queryOrPathParameter(parameter, schema, 'query'))),
    ],
    ...(hasBody ? { requestBody: formBody(others, endpoint.file) } : {}),
    ...(endpoint.body === 'stream' && endpoint.method !== 'DELETE' ? { requestBody: streamedBody } : {}),
    responses: { ...replies(endpoint), ...refusals(endpoint) },
    security: [
      ...(endpoint.access === 'anyone' ? [] : securityOf[endpoint.doors]),
      // Nothing at all will do as well.
      ...(endpoint.access === 'spectator' ? [{}] : []),
    ],
    'x-since-feature-level': endpoint.since,
    'x-access': endpoint.access,
    'x-long-poll': endpoint.longPoll,
    ...(Object.keys(endpoint.aliases).length === 0 ? {} : { 'x-parameter-aliases': endpoint.aliases }),
    'x-emits': endpoint.emits.map((event) =>
      event.op === undefined ? event.type : `${event.type}/${event.op}`,
    ),
  }
}

const errorSchema = (name: ErrorName): Json => {
  const { code = name, fields = {} } = errors[name] as { code?: string; fields?: z.ZodRawShape }
  return schemaOf(
    z.object({ result: z.literal('error'), msg: z.string(), code: z.literal(code), ...fields }),
    'input',
  )
}

/** Every endpoint, parameter, reply, error and feature level of the public interface. */
export const openApiDocument = (contracts: readonly ServiceContract[]): Json => {
  const all = contracts.flatMap(({ endpoints }) => Object.entries(endpoints))
  const paths = [...Map.groupBy(all, ([, endpoint]) => publicPath(endpoint))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, group]): [string, Json] => [
      path,
      Object.fromEntries(
        group.map(([name, endpoint]) => [endpoint.method.toLowerCase(), operation(name, endpoint)]),
      ),
    ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: String(limits.featureLevel),
      description:
        'Parameters travel in the query, as a form or as JSON. Everything but text is JSON-encoded. ' +
        'Unknown parameters are ignored and named in `ignored_parameters_unsupported`. ' +
        'What stands below /api/v1 is there below /json too, with a session cookie instead of an API key.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'basic', description: 'E-mail and API key.' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        csrfToken: { type: 'apiKey', in: 'header', name: 'X-CSRFToken' },
      },
      schemas: {
        Success: {
          type: 'object',
          properties: {
            result: { const: 'success' },
            msg: { type: 'string' },
            ignored_parameters_unsupported: { type: 'array', items: { type: 'string' } },
          },
          required: ['result', 'msg'],
        },
        ...Object.fromEntries((Object.keys(errors) as ErrorName[]).map((name) => [name, errorSchema(name)])),
      },
    },
  }
}
