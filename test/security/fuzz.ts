import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StackAddress, World } from '@parley/testkit'
import { pythonWith } from '../../deploy/provisioning/python.ts'

const version = 'schemathesis==4.32.5'

/** Operations that would end the run, or wait. */
const leftOut: Readonly<Record<string, string>> = {
  deactivateRealm: 'ends the organization',
  endOwnUser: 'ends the account',
  regenerateOwnApiKey: 'replaces the key that is used',
  updateUser: 'may take the role away',
  updateUserByEmail: 'may take the role away',
  endUser: 'may end the account',
  updateRealm: 'may close the doors that are used',
  updateSettings: 'may change the address that is used',
  getEvents: 'waits; what is hostile about it is in test/acceptance/hostile-requests.test.ts',
  describeUploads: 'is answered by the store of resumable uploads to any method',
  logIn: 'is at another door (/json)',
  logOut: 'is at another door (/json)',
  listSessions: 'is at another door (/json)',
  endSession: 'is at another door (/json)',
  endOtherSessions: 'is at another door (/json)',
}

/** What must hold of every answer. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'ignored_auth',
]

export interface Fuzzed {
  readonly requests: number
  /** One text for each thing that was found. */
  readonly findings: string[]
  /** Things reported that are its misunderstandings. */
  readonly misunderstood: number
  /** How it ended, for people. */
  readonly summary: string
}

const plain = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** What the fuzzer reports and is its own misunderstanding, each with the reason. */
const misunderstandings: readonly (readonly [RegExp, string])[] = [
  [
    /Invalid Schema Object in response definition[\s\S]*-> items/,
    'it turns `prefixItems` of a tuple into a list of `items`, as older drafts have it, and then refuses that; the ' +
      'document itself is checked by another validator in libs/contracts/src/openapi.test.ts',
  ],
  [
    /AST constructor recursion depth mismatch/,
    'its generator fails of a defect of Python 3.11 while it describes one of its own functions',
  ],
]

/** What a JUnit report holds, each once. */
const findingsIn = (xml: string): string[] => [
  ...new Set(
    [...xml.matchAll(/<testcase name="([^"]*)"(?:[^>]*[^/>])?>([\s\S]*?)<\/testcase>/g)].flatMap(
      ([, name, inside]) =>
        [...inside!.matchAll(/<(failure|error)[^>]*>([\s\S]*?)<\/\1>/g)].map(
          ([, , text]) => `${plain(name!)}: ${plain(text!).trim()}`,
        ),
    ),
  ),
]

const summaryOf = (output: string): string => output.slice(output.lastIndexOf('= SUMMARY ='))

/** Has an outside fuzzer try the OpenAPI document for so many seconds, as an owner. */
export const fuzz = async (stack: StackAddress, seconds: number, seed: number): Promise<Fuzzed> => {
  const python = await pythonWith([version])
  // A subdomain of localhost is not found by every resolver.
  const world = await World.atRoot(stack)
  const owner = await world.user({ role: 'owner', email: `fuzz${seed}@fuzz.example` })
  const folder = await mkdtemp(join(tmpdir(), 'parley-fuzz-'))
  const report = join(folder, 'report.xml')
  const { email, key } = owner.credentials!
  const args = [
    ...['-m', 'schemathesis.cli', 'run', `http://${stack.host}/api/v1/openapi.json`],
    ...['--url', `http://${stack.host}`, '--auth', `${email}:${key}`],
    ...['--checks', checks.join(','), '--phases', 'examples,coverage,fuzzing'],
    ...['--max-time', String(seconds), '--max-examples', '20', '--request-timeout', '20', '--no-shrink'],
    ...['--seed', String(seed), '--generation-database', 'none', '--continue-on-failure', '--no-color'],
    ...['--suppress-health-check', 'all', '--warnings', 'off', '--workers', '4'],
    ...['--report', 'junit', '--report-junit-path', report, '--output-truncate', 'false'],
    ...Object.keys(leftOut).flatMap((name) => ['--exclude-operation-id', name]),
  ]
  try {
    const output = await new Promise<string>((resolve) => {
      const limits = { timeout: (seconds + 240) * 1000, maxBuffer: 512 * 1024 * 1024, cwd: folder }
      execFile(python, args, limits, (_, out, errors) => resolve(`${out}\n${errors}`))
    })
    const xml = await readFile(report, 'utf8').catch(() => '')
    const requests = Number(/(\d+) generated/.exec(output)?.[1] ?? 0)
    const reported = findingsIn(xml)
    const isOurs = (finding: string) => !misunderstandings.some(([pattern]) => pattern.test(finding))
    const findings = reported.filter(isOurs)
    if (xml === '' || requests === 0)
      findings.push(`the fuzzer did not come to its end: ${output.slice(-2000)}`)
    return {
      requests,
      findings,
      misunderstood: reported.length - findings.length,
      summary: summaryOf(output),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
