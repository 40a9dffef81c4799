/**
 * Writes the documents that follow from the code; with `--check` says which of them are out of date instead, and
 * fails. `npm run documents` writes them, `npm run check` compares them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { capacityPlan } from './capacity-tables.ts'
import { configurationReference } from './configuration-reference.ts'
import { dashboards } from './dashboards.ts'
import { eventCatalogue } from './event-catalogue.ts'
import { kafkaTopics, kafkaUsers, networkPolicies } from './kubernetes.ts'
import { serviceMap } from './service-map.ts'

const root = new URL('../../', import.meta.url)
const checking = process.argv.includes('--check')

const documents: Record<string, string> = {
  'services/README.md': serviceMap(fileURLToPath(root)),
  'services/CONFIGURATION.md': await configurationReference(root),
  'libs/contracts/EVENTS.md': eventCatalogue(),
  'deploy/capacity.md': capacityPlan(root),
  'k8s/base/network-policies.yaml': networkPolicies(),
  'k8s/components/strimzi-kafka/topics.yaml': kafkaTopics(),
  'k8s/components/strimzi-kafka/users.yaml': kafkaUsers(),
  ...Object.fromEntries(
    Object.entries(dashboards()).map(([name, text]) => [
      `deploy/observability/dashboards/${name}.json`,
      text,
    ]),
  ),
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
