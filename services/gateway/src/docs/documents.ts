import { readFileSync } from 'node:fs'
import { clientEvents, contracts } from '@parley/contracts'
import { changelog } from '@parley/contracts/changelog'
import { openApiDocument } from '@parley/contracts/openapi'
import { referencePage } from './reference-page.ts'

/** Something that the gateway hands out as it is, to anybody. */
export interface Document {
  readonly type: string
  readonly body: Buffer
  /** Flat list. */
  readonly headers: readonly string[]
}

const asset = (name: string): Buffer => readFileSync(new URL(name, import.meta.url))

/** The page takes nothing from elsewhere and runs nothing that stands in it. */
const pagePolicy = [
  'content-security-policy',
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
]

/** The documentation by path: made once from the contracts. */
export const documents = (): ReadonlyMap<string, Document> => {
  const rooms = Object.values(contracts)
  const levels = changelog(rooms, Object.values(clientEvents))
  const page: Document = {
    type: 'text/html; charset=utf-8',
    body: Buffer.from(referencePage(rooms, levels)),
    headers: pagePolicy,
  }
  return new Map<string, Document>([
    ['/api', page],
    ['/api/', page],
    ['/api/reference.css', { type: 'text/css; charset=utf-8', body: asset('reference.css'), headers: [] }],
    [
      '/api/reference.js',
      { type: 'text/javascript; charset=utf-8', body: asset('reference.js'), headers: [] },
    ],
    [
      '/api/v1/openapi.json',
      { type: 'application/json', body: Buffer.from(JSON.stringify(openApiDocument(rooms))), headers: [] },
    ],
  ])
}
