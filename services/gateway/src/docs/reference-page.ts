import {
  type AnyEndpoint,
  type ErrorName,
  errors,
  limits,
  pathParameters,
  publicPath,
  type ServiceContract,
  wireKind,
} from '@parley/contracts'
import type { FeatureLevel } from '@parley/contracts/changelog'
import { schemaOf } from '@parley/contracts/openapi'
import type { z } from 'zod'
import { type Schema, typeText } from './type-text.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character]!)

const who: Readonly<Record<AnyEndpoint['access'], string>> = {
  anyone: 'anyone, without credentials too',
  spectator: 'any account, and anybody where the organization lets spectators in',
  authenticated: 'any account',
  human: 'people, not bots',
  bot: 'bots only',
  member: 'members, not guests',
  moderator: 'moderators and above',
  administrator: 'administrators and owners',
  owner: 'owners',
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${head.map((title) => `<th>${title}</th>`).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table>`

const howItTravels = (schema: z.ZodType, inPath: boolean): string => {
  if (inPath) return 'in the path'
  const kind = wireKind(schema)
  return { text: 'raw', json: 'as JSON', either: 'raw or as JSON', quotable: 'raw or as a JSON string' }[kind]
}

const parameterRows = (endpoint: AnyEndpoint): string[][] => {
  const inPath = new Set(pathParameters(endpoint.path))
  return Object.entries(endpoint.params as Record<string, z.ZodType>).map(([name, schema]) => {
    const json = schemaOf(schema, 'input') as Schema
    const aliases = endpoint.aliases[name] ?? []
    const need = schema.safeParse(undefined).success
      ? json.default === undefined
        ? 'optional'
        : `default <code>${escaped(JSON.stringify(json.default))}</code>`
      : 'required'
    return [
      [name, ...aliases].map((one) => `<code>${escaped(one)}</code>`).join(' or '),
      escaped(typeText(json)),
      need,
      howItTravels(schema, inPath.has(name)),
    ]
  })
}

const replyRows = (endpoint: AnyEndpoint): string[][] =>
  Object.entries(endpoint.reply as Record<string, z.ZodType>).map(([name, schema]) => [
    `<code>${escaped(name)}</code>${schema.safeParse(undefined).success ? '?' : ''}`,
    escaped(typeText(schemaOf(schema, 'output') as Schema)),
  ])

const errorList = (endpoint: AnyEndpoint): string => {
  const items = (endpoint.errors as readonly ErrorName[]).map((name) => {
    const {
      status,
      code = name,
      fields = {},
    }: { status: number; code?: string; fields?: z.ZodRawShape } = errors[name]
    const extra = Object.keys(fields).map((field) => ` <code>${escaped(field)}</code>`)
    return `<li><code>${escaped(code)}</code> ${status}${extra.length === 0 ? '' : `, with${extra.join(',')}`}</li>`
  })
  return items.length === 0 ? '' : `<h4>Refusals of its own</h4><ul class="codes">${items.join('')}</ul>`
}

const bodies: Readonly<Record<AnyEndpoint['body'], string>> = {
  parameters: '',
  stream: '; the body is taken as it is, or as the files of a form',
}

const fileNote = ({ file }: AnyEndpoint): string =>
  file === null ? '' : `; a multipart form may hold one file, ${file.name}, of at most ${file.mebibytes} MiB`

const section = (operation: string, endpoint: AnyEndpoint): string => {
  const { method, path, summary, access, since } = endpoint
  const parameters = parameterRows(endpoint)
  const replies = replyRows(endpoint)
  return `<section id="${operation}" class="endpoint" data-words="${escaped(`${operation} ${method} ${path} ${summary}`.toLowerCase())}">
<h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${escaped(publicPath(endpoint))}</code></h3>
<p>${escaped(summary)}</p>
<p class="facts">For ${who[access]}${since > 1 ? `; since feature level ${since}` : ''}${endpoint.longPoll ? '; waits until something happens' : ''}${bodies[endpoint.body]}${fileNote(endpoint)}${endpoint.answer === 'stream' ? '; answered as the summary says, without the envelope' : ''}.</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${table(['Name', 'Value', '', 'Sent'], parameters)}`}
${replies.length === 0 ? '' : `<h4>Answer</h4>${table(['Field', 'Value'], replies)}`}
${errorList(endpoint)}
</section>`
}

const changes = (levels: readonly FeatureLevel[]): string =>
  levels
    .map(
      ({ feature_level, changes: list }) =>
        `<h3>Level ${feature_level}</h3><ul>${list.map((change) => `<li>${escaped(change)}</li>`).join('')}</ul>`,
    )
    .join('')

/** The reference of the whole interface as one page; needs nothing but its own style sheet and script. */
export const referencePage = (
  contracts: readonly ServiceContract[],
  levels: readonly FeatureLevel[],
): string => {
  const rooms = contracts.filter(({ endpoints }) => Object.keys(endpoints).length > 0)
  const index = rooms
    .map(
      ({ name, endpoints }) =>
        `<h2>${name}</h2><ul>${Object.entries(endpoints)
          .map(([operation, { method, path }]) => {
            const name = `<span class="method ${method.toLowerCase()}">${method}</span> ${escaped(path)}`
            return `<li><a href="#${operation}">${name}</a></li>`
          })
          .join('')}</ul>`,
    )
    .join('')
  const body = rooms
    .map(
      ({ name, endpoints }) =>
        `<h2>${name}</h2>${Object.entries(endpoints)
          .map(([operation, endpoint]) => section(operation, endpoint))
          .join('')}`,
    )
    .join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley API reference</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/api/reference.css">
<script src="/api/reference.js" defer></script></head>
<body><nav aria-label="Endpoints"><h1>Parley</h1>
<label>Find <input id="find" type="search" placeholder="path or word"></label> <span id="count" aria-live="polite"></span>
${index}</nav>
<main><h1>API reference</h1>
<p>Feature level ${limits.featureLevel}. The same as a machine reads it: <a href="/api/v1/openapi.json">openapi.json</a>. <a href="#changes">What came when</a>.</p>
<h2>How to call</h2>
<p>HTTP Basic with the account's e-mail and API key. Parameters in the query, as a form (of either kind), or as a JSON object.
Success is status 200 with <code>result: "success"</code>; a refusal has <code>result: "error"</code>, a sentence in <code>msg</code> and a <code>code</code>.
<code>X-RateLimit-Remaining</code> tells how many calls are left, <code>Retry-After</code> when to come back.</p>
<pre>curl -u hamlet@example.com:KEY https://chat.example.com/api/v1/users/me</pre>
${body}
<h2 id="changes">What came when</h2>${changes(levels)}
</main></body></html>
`
}
