import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { systemProgram } from '../provisioning/system-packages.ts'
import { firing } from './firing-cases.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

interface Rule {
  alert?: string
  record?: string
  expr: string
  for?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}
const object = parse(readFileSync(join(root, 'deploy/observability/rules.yaml'), 'utf8'))
const groups = object.spec.groups as { name: string; rules: Rule[] }[]
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter((rule) => rule.alert !== undefined)

let folder: string
let promtool: string
beforeAll(async () => {
  promtool = await systemProgram('promtool', 'prometheus')
  folder = await mkdtemp(join(tmpdir(), 'parley-rules-'))
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups }))
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('rules', () => {
  it('are valid', async () => {
    const { stdout } = await run(promtool, ['check', 'rules', join(folder, 'rules.yaml')])
    expect(stdout).toContain('SUCCESS')
    expect(alerts.length).toBeGreaterThanOrEqual(25)
  })

  it('name a runbook each, and no runbook is without an alert', () => {
    const named = alerts.map((rule) => rule.annotations?.runbook ?? `${rule.alert} has none`)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const files = readdirSync(join(root, 'deploy/runbooks')).map((file) => `deploy/runbooks/${file}`)
    expect(files.filter((file) => !named.includes(file))).toEqual([])
    for (const { alert, annotations } of alerts)
      expect(readFileSync(join(root, annotations!.runbook!), 'utf8')).toContain(alert)
  })

  it('ask for metrics that the services have', async () => {
    const sources = await run('git', [
      '-C',
      root,
      'grep',
      '-hoE',
      "'parley_[a-z_]+'",
      '--',
      'libs',
      'services',
    ])
    const known = new Set([...sources.stdout.matchAll(/parley_[a-z_]+/g)].map(([name]) => name))
    const recorded = new Set(rules.flatMap((rule) => rule.record ?? []))
    const dashboards = readdirSync(join(root, 'deploy/observability/dashboards')).map((file) =>
      readFileSync(join(root, 'deploy/observability/dashboards', file), 'utf8'),
    )
    const asked = [...rules.map((rule) => rule.expr), ...dashboards].flatMap((text) =>
      [...text.matchAll(/(?<![:\w])parley_[a-z_]+(?![\w]*:)/g)].map(([name]) => name),
    )
    const unknown = new Set(
      asked.filter((name) => !known.has(name.replace(/_(bucket|count|sum)$/, '')) && !recorded.has(name)),
    )
    expect([...unknown]).toEqual([])
  })

  it('fire when they should, and not when all is well', async () => {
    expect(Object.keys(firing).sort()).toEqual(alerts.map((rule) => rule.alert).sort())
    const tests = Object.entries(firing).flatMap(([alertname, { at = '30m', series, labels = {} }]) => {
      const rule = alerts.find((candidate) => candidate.alert === alertname)!
      const input_series = Object.entries(series).map(([name, [bad]]) => ({ series: name, values: bad }))
      const well = Object.entries(series).map(([name, [, good]]) => ({ series: name, values: good }))
      // What is judged over hours and days is stepped through by ten minutes.
      const interval = /Burns(Slow|Steady)$/.test(alertname) ? '10m' : '1m'
      return [
        {
          name: `${alertname} fires`,
          interval,
          input_series,
          alert_rule_test: [
            { eval_time: at, alertname, exp_alerts: [{ exp_labels: { ...rule.labels, ...labels } }] },
          ],
        },
        {
          name: `${alertname} is silent`,
          interval,
          input_series: well,
          alert_rule_test: [{ eval_time: at, alertname, exp_alerts: [] }],
        },
      ]
    })
    // The sentence of an alert is for people: compared by the labels alone.
    const bare = groups.map((group) => ({
      name: group.name,
      rules: group.rules.map(({ annotations: _, ...rule }) => rule),
    }))
    const burning = (name: string): boolean => name.includes('BudgetBurns')
    // Each file has the rules that its cases need: promtool works all of them out at every step.
    const files = {
      symptoms: { step: '1m', of: (name: string) => !burning(name) },
      fast: { step: '1m', of: (name: string) => burning(name) },
      slow: { step: '10m', of: (name: string) => burning(name) },
    }
    for (const [file, { step, of }] of Object.entries(files)) {
      const needed = bare.filter(({ name }) => (file === 'symptoms') === (name === 'parley.symptoms'))
      // One group: what is recorded at a step is there for the alerts of that step.
      const together = [{ name: file, rules: needed.flatMap((group) => group.rules) }]
      await writeFile(join(folder, `${file}-rules.yaml`), stringify({ groups: together }))
      const those = tests.filter(({ name, interval }) => interval === step && of(name))
      expect(those.length).toBeGreaterThan(0)
      await writeFile(
        join(folder, `${file}.yaml`),
        stringify({ rule_files: [`${file}-rules.yaml`], evaluation_interval: step, tests: those }),
      )
      const outcome = await run(promtool, ['test', 'rules', join(folder, `${file}.yaml`)]).catch(
        (error) => error,
      )
      expect(`${outcome.stdout}${outcome.stderr}`).toMatch(/SUCCESS\s*$/)
    }
  }, 180_000)

  it('are asked in a language that Prometheus understands, also by the dashboards', async () => {
    const queries = readdirSync(join(root, 'deploy/observability/dashboards')).flatMap((file) => {
      const { panels } = JSON.parse(readFileSync(join(root, 'deploy/observability/dashboards', file), 'utf8'))
      return panels.flatMap((panel: { targets: { expr: string }[] }) =>
        panel.targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
      )
    })
    expect(queries.length).toBeGreaterThan(60)
    const asRules = queries.map((expr: string, index: number) => ({
      record: `dashboard:query:${index}`,
      expr,
    }))
    await writeFile(
      join(folder, 'queries.yaml'),
      stringify({ groups: [{ name: 'queries', rules: asRules }] }),
    )
    const { stdout } = await run(promtool, ['check', 'rules', join(folder, 'queries.yaml')])
    expect(stdout).toContain('SUCCESS')
    expect(await readFile(join(folder, 'queries.yaml'), 'utf8')).not.toContain('$')
  })
})
