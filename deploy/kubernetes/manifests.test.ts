import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serviceNames } from '@parley/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { checkout } from '../checkout.ts'
import { pythonWith } from '../provisioning/python.ts'
import { customResources } from './custom-resources.ts'
import { rules, viewOf } from './policy.ts'
import { isBuiltIn, type Manifest, overlays, rendered } from './rendered.ts'

const run = promisify(execFile)

describe.each(overlays)('the overlay %s', (overlay) => {
  let all: Manifest[]
  beforeAll(async () => {
    all = await rendered(overlay)
  })

  it.each(serviceNames)('keeps every rule for %s', (service) => {
    const view = viewOf(overlay, service, all)
    const broken = Object.entries(rules).filter(([, holds]) => !holds(view))
    expect(broken.map(([rule]) => rule)).toEqual([])
  })

  it('has at least forty rules, each of which can be broken', () => {
    expect(Object.keys(rules).length).toBeGreaterThanOrEqual(40)
    const empty = { metadata: { labels: {} }, spec: { template: { metadata: { labels: {} }, spec: {} } } }
    const nothing = {
      ...viewOf(overlay, 'channels', all),
      ...{ overlay: 'production' as const, all: all.filter(({ kind }) => kind === 'Deployment') },
      ...{
        deployment: empty,
        pod: { hostNetwork: true },
        container: {},
        address: {},
        budget: {},
        policy: {},
      },
      ...{ account: {}, scaler: {}, monitor: {} },
    }
    const kept = Object.entries(rules).filter(([, holds]) => {
      try {
        return holds(nothing)
      } catch {
        return false
      }
    })
    // Which is no rule for channels.
    expect(kept.map(([rule]) => rule)).toEqual(['pods with polls or uploads go slowly'])
  })

  it('has built-in kinds that Kubernetes accepts, without a field that it does not know', async () => {
    const python = await pythonWith(['kubernetes-validate==1.37.0'])
    const folder = await mkdtemp(join(tmpdir(), 'parley-manifests-'))
    try {
      const file = join(folder, 'all.yaml')
      const builtIn = all.filter(isBuiltIn)
      await writeFile(file, builtIn.map((one) => stringify(one)).join('---\n'))
      await run(python, ['-m', 'kubernetes_validate', '--strict', '--kubernetes-version', '1.36', file], {
        maxBuffer: 8 * 1024 * 1024,
      })
      const wrong = structuredClone(builtIn.find(({ kind }) => kind === 'Deployment'))
      wrong.spec.template.spec.terminationGracePeriod = 5
      await writeFile(file, stringify(wrong))
      await expect(
        run(python, ['-m', 'kubernetes_validate', '--strict', '--kubernetes-version', '1.36', file]),
      ).rejects.toThrow()
    } finally {
      await rm(folder, { recursive: true })
    }
  }, 300_000)

  it('has custom resources that fit their schemas', () => {
    const findings = all
      .filter((one) => !isBuiltIn(one))
      .flatMap((one) => {
        const schema = customResources.get(`${one.apiVersion} ${one.kind}`)
        if (schema === undefined) return [`${one.kind} ${one.metadata.name}: no schema`]
        const outcome = schema.safeParse(one)
        return outcome.success ? [] : [`${one.kind} ${one.metadata.name}: ${outcome.error.message}`]
      })
    expect(findings).toEqual([])
  })

  it('finds every secret and setting that it refers to', async () => {
    const { stdout } = await run(process.execPath, ['deploy/kubernetes-secrets.ts'], { cwd: checkout })
    const made: Manifest[] = parseAllDocuments(stdout).map((document) => document.toJS())
    const users = all
      .filter(({ kind }) => kind === 'KafkaUser')
      .map(({ metadata }) => `kafka-${metadata.name}`)
    const known = new Set([
      ...[...made, ...all].map((one) => `${one.kind} ${one.metadata.name}`),
      ...users.map((name) => `Secret ${name}`),
    ])
    const workloads = all.filter(({ kind }) => ['Deployment', 'Job', 'StatefulSet'].includes(kind))
    const missing = workloads.flatMap(({ metadata, spec }) =>
      spec.template.spec.containers
        .flatMap((container: Manifest) => [
          ...(container.env ?? []).flatMap(({ valueFrom }: Manifest) => {
            if (valueFrom?.secretKeyRef !== undefined) return [`Secret ${valueFrom.secretKeyRef.name}`]
            return valueFrom?.configMapKeyRef === undefined
              ? []
              : [`ConfigMap ${valueFrom.configMapKeyRef.name}`]
          }),
          ...(container.envFrom ?? []).map(({ configMapRef }: Manifest) => `ConfigMap ${configMapRef.name}`),
        ])
        .filter((name: string) => !known.has(name))
        .map((name: string) => `${metadata.name}: ${name}`),
    )
    expect(missing).toEqual([])
  })
})
