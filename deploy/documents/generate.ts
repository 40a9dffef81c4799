/**
 * Writes the documents that follow from the code; with `--check` says which of them are out of date instead, and
 * fails. `npm run documents` writes them, `npm run check` compares them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configurationReference } from './configuration-reference.ts'
import { eventCatalogue } from './event-catalogue.ts'
import { serviceMap } from './service-map.ts'

const root = new URL('../../', import.meta.url)
const checking = process.argv.includes('--check')

const documents: Record<string, string> = {
  'services/README.md': serviceMap(fileURLToPath(root)),
  'services/CONFIGURATION.md': await configurationReference(root),
  'libs/contracts/EVENTS.md': eventCatalogue(),
}

const current = (path: string): string | undefined => {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch {
    return undefined
  }
}

const outdated = Object.entries(documents).filter(([path, text]) => current(path) !== text)
if (!checking) for (const [path, text] of outdated) writeFileSync(new URL(path, root), text)
for (const [path] of outdated)
  console.log(checking ? `${path} is out of date: npm run documents` : `${path} written`)
process.exit(checking && outdated.length > 0 ? 1 : 0)
