import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkout } from './checkout.ts'
import { engineNames } from './engines/engine.ts'
import { composeLoader } from './provisioning/compose-loader.ts'

interface ComposeFile {
  services: Record<string, { command?: string[]; healthcheck?: object; env_file?: { path: string }[] }>
}

const path = join(checkout, 'deploy', 'compose.yaml')
const compose = parse(await readFile(path, 'utf8'), { merge: true }) as ComposeFile
describe('compose.yaml', () => {
  it.each(serviceNames)('runs %s with its own secrets and a health check', (name) => {
    const service = compose.services[name]!
    expect(service.command).toEqual(['node', `services/${name}/src/main.ts`])
    expect(service.env_file?.map((file) => file.path)).toEqual([`../.parley/compose/${name}.env`])
    expect(service.healthcheck).toBeDefined()
  })

  it.each(engineNames)('runs %s with a health check', (name) => {
    expect(compose.services[name]!.healthcheck).toBeDefined()
  })

  it('gives every secret file to one container', () => {
    const files = Object.entries(compose.services)
      .filter(([name]) => name !== 'demo' && name !== 'manage')
      .flatMap(([, { env_file }]) => env_file?.map((file) => file.path) ?? [])
    expect(new Set(files).size).toBe(files.length)
  })

  it('has every service watched by its Prometheus', async () => {
    const watched = await readFile(join(checkout, 'deploy/observability/compose/prometheus.yaml'), 'utf8')
    const { scrape_configs: jobs } = parse(watched) as {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[]
    }
    const targets = Object.fromEntries(
      jobs.map(({ job_name, static_configs }) => [job_name, static_configs[0]!.targets]),
    )
    expect(targets).toEqual(Object.fromEntries(serviceNames.map((name) => [name, [`${name}:9090`]])))
  })

  it('is accepted as docker compose reads it, and a broken one is not', {
    timeout: 300_000,
  }, async (context) => {
    const loader = await composeLoader(AbortSignal.timeout(290_000))
    if ('reason' in loader) return context.skip(loader.reason)
    const { services } = await loader.config(path)
    expect(Object.keys(services)).toEqual(expect.arrayContaining([...serviceNames, ...engineNames]))
    const observed = await loader.config(path, join(checkout, 'deploy', 'compose.observe.yaml'))
    expect(Object.keys(observed.services).sort()).toEqual(
      [...Object.keys(services), 'grafana', 'prometheus', 'tempo'].sort(),
    )
    for (const name of serviceNames) {
      // The plugin writes an object here, the library a list.
      const environment = JSON.stringify(observed.services[name])
      expect(environment, name).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT(=|":")http:\/\/tempo:4318/)
      expect(environment, name).toMatch(/OPS_PORT(=|":")9090/)
    }
    const folder = await mkdtemp(join(tmpdir(), 'parley-compose-'))
    const broken = join(folder, 'compose.yaml')
    await writeFile(broken, (await readFile(path, 'utf8')).replaceAll('healthcheck:', 'healthchecks:'))
    await expect(loader.config(broken), loader.name).rejects.toThrow('healthchecks')
    await rm(folder, { recursive: true })
  })
})

describe('the image', () => {
  it('runs the Node that package.json pins', async () => {
    const dockerfile = await readFile(join(checkout, 'deploy', 'Dockerfile'), 'utf8')
    const manifest = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'))
    expect(dockerfile).toContain(`FROM node:${manifest.dependencies.node}-`)
  })

  it('does not run as root', async () => {
    const dockerfile = await readFile(join(checkout, 'deploy', 'Dockerfile'), 'utf8')
    expect(dockerfile.match(/^USER (\S+)/gm)?.at(-1)).toBe('USER 1000:1000')
  })
})
