/**
 * `npm run test:security [-- --seconds N] [--seed S] [--only fuzz,weaknesses,canary]`: what an attacker would try, on a system
 * of its own: each known class of weaknesses by the tests that are named for it, an outside fuzzer on the OpenAPI document for
 * N seconds, and a search of everything that was logged, traced and set aside for the secrets that were used.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTraceReceiver } from '@parley/testkit'
import { startStack } from '../../deploy/stack.ts'
import { deadLetters } from '../long/records.ts'
import { leaks, useSecrets } from './canary.ts'
import { fuzz } from './fuzz.ts'
import { type Weakness, weaknesses } from './weaknesses.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: 'canary,weaknesses,fuzz' },
  },
})
const isWanted = (part: string): boolean => values.only.split(',').includes(part)

interface Ran {
  readonly file: string
  readonly name: string
  readonly status: string
  /** Beginning with what was expected, when it failed. */
  readonly reason: string | undefined
}

const dataDir = await mkdtemp(join(tmpdir(), 'parley-security-'))
const traces = await startTraceReceiver()
const settings = {
  CHECK_REPLIES: 'on',
  CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: 'on',
  // Everything is logged and traced: what must not be there is looked for.
  LOG_LEVEL: 'debug',
  TRACE_RATIO: '1',
  OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
}
const stack = await startStack({
  dataDir,
  log: (line) => console.error(line),
  env: { ...process.env, ...settings },
})

/** Runs test files on this system. */
const runTests = async (files: readonly string[]): Promise<Ran[]> => {
  const report = join(dataDir, 'tests.json')
  const args = ['run', '--reporter=json', `--outputFile=${report}`, ...files]
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...stack.addresses,
      PARLEY_STACK: JSON.stringify(stack.address),
      PARLEY_TRACES: traces.url,
    },
  })
  await once(child, 'exit')
  const { testResults } = JSON.parse(await readFile(report, 'utf8'))
  return testResults.flatMap(
    ({
      name: file,
      assertionResults,
    }: {
      name: string
      assertionResults: { fullName: string; status: string; failureMessages: readonly string[] }[]
    }) =>
      assertionResults.map(({ fullName, status, failureMessages }) => ({
        file,
        name: fullName,
        status,
        reason: failureMessages[0]?.slice(0, 500),
      })),
  )
}

const problems: string[] = []
const judge = ({ name, tests }: Weakness, ran: readonly Ran[]): void => {
  const counted = tests.map(([file, part]) => ({
    file,
    part,
    found: ran.filter((one) => one.file.endsWith(file) && one.name.includes(part ?? '')),
  }))
  const all = counted.flatMap(({ found }) => found)
  const failed = all.filter(({ status }) => status !== 'passed')
  console.log(
    `${failed.length === 0 ? 'held  ' : 'BROKEN'}  ${String(all.length).padStart(4)} tests  ${name}`,
  )
  for (const one of failed) problems.push(`${name}: ${one.name} (${one.file}) ${one.status}: ${one.reason}`)
  for (const { file, part, found } of counted)
    if (found.length === 0) problems.push(`${name}: nothing in ${file} is called ${part ?? 'anything'}`)
}

let isOver = false
try {
  const secrets = isWanted('canary') ? await useSecrets(stack) : new Map<string, string>()
  if (isWanted('weaknesses')) {
    const files = [...new Set(weaknesses.flatMap(({ tests }) => tests.map(([file]) => file)))]
    const ran = await runTests(files)
    for (const weakness of weaknesses) judge(weakness, ran)
  }
  if (isWanted('fuzz')) {
    const { requests, findings, misunderstood, summary } = await fuzz(
      stack.address,
      Number(values.seconds),
      Number(values.seed),
    )
    console.log(
      `fuzzer, seed ${values.seed}: ${requests} requests, ${findings.length} findings, ${misunderstood} of its own`,
    )
    console.log(summary)
    problems.push(...findings.map((finding) => `fuzzer: ${finding}`))
  }
  if (isWanted('canary')) {
    const found = await leaks(secrets, stack.logsDir, {
      traces: JSON.stringify(traces.spans),
      'dead letters': JSON.stringify(await deadLetters(stack.addresses.KAFKA_BROKERS!.split(','))),
    })
    console.log(
      `${secrets.size} secrets looked for in logs, ${traces.spans.length} spans and dead letters: ${found.length} found`,
    )
    problems.push(...new Set(found))
  }
  for (const { name, reason } of stack.deaths) problems.push(`${name} died: ${reason}`)
  isOver = true
} finally {
  await stack.stop({ discardData: true })
  await traces.stop()
  if (process.env.KEEP_TEST_LOGS === undefined) await rm(dataDir, { recursive: true, force: true })
}
console.log(`${problems.length} problems`)
for (const problem of problems) console.log(`  ${problem}`)
process.exit(isOver && problems.length === 0 ? 0 : 1)
