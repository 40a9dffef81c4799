/**
 * `npm run test:restore [-- --seed S] [--seconds N]`: saves every database and the bucket at a random moment while people use
 * the system, restores them into fresh engines, repairs what the design repairs (`after-restore`, `manage
 * rebuild-projections`), and compares: what was acknowledged before the backup began is there, nothing refers to what is not,
 * people go on working, and no ID that was given out after the backup is given out again.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { serviceNames } from '@parley/contracts'
import { Client, eventually, seededRandom, succeeded, type TestUser, World } from '@parley/testkit'
import { type Stack, startStack } from '../../deploy/stack.ts'
import { rest } from '../faults/patient.ts'
import { Workload } from '../faults/workload.ts'
import { backUp, brokenReferences, restore } from './backup.ts'
import { Crowd } from './crowd/crowd.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seconds: { type: 'string', default: '15' } },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const random = seededRandom(seed)
const root = await mkdtemp(join(tmpdir(), 'parley-drill-'))
const [first, second, folder] = ['first', 'second', 'backup'].map((name) => join(root, name)) as [
  string,
  string,
  string,
]
const log = (line: string) => console.error(line)
const env = { ...process.env, LOG_LEVEL: 'warn' }
const problems: string[] = []

const manage = async (stack: Stack, ...args: string[]): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['deploy/manage/main.ts', ...args, '--json'],
    {
      env: { ...process.env, IDENTITY_URL: stack.address.identityUrl, SIGNING_KEY: stack.address.manageKey },
    },
  )
  return JSON.parse(stdout)
}

/** What had been acknowledged when the backup began. */
const whatWas = (crowd: Crowd) => ({
  messages: [...crowd.talk.acknowledged],
  files: new Map(crowd.uploaders.files),
  readers: crowd.talk.receivers.map(({ user }) => user),
})

/** Everything that was given out, also after the backup: messages, people, organizations, attachments. */
interface Given {
  readonly messages: ReadonlySet<number>
  readonly people: ReadonlySet<number>
  readonly realms: ReadonlySet<number>
}

/** Gives out one more of each after the backup, and says all of them. */
const given = async (stack: Stack, crowd: Crowd): Promise<Given> => {
  const world = await World.create(stack.address)
  const late = await world.user()
  const people = [late.id, ...crowd.talk.receivers.map(({ user }) => (user as TestUser).id)]
  return {
    messages: new Set(crowd.talk.acknowledged),
    people: new Set(people),
    realms: new Set([world.realmId]),
  }
}

const backedUp = async (): Promise<ReturnType<typeof whatWas> & { uploader: Client; given: Given }> => {
  const stack = await startStack({ dataDir: first, log, env })
  try {
    const crowd = await Crowd.start(stack.address, { pause: 20 })
    await rest((5 + random() * Number(values.seconds)) * 1000)
    const was = whatWas(crowd)
    const began = Date.now()
    await backUp(stack, first, folder)
    console.log(`saved in ${((Date.now() - began) / 1000).toFixed(1)} s, after ${JSON.stringify(crowd.done)}`)
    // What happens after a backup is lost with it; that it was taken, nobody notices.
    await rest(2000)
    for (const problem of await crowd.finish(60)) problems.push(`while it was saved: ${problem}`)
    return { ...was, uploader: crowd.uploaders.user, given: await given(stack, crowd) }
  } finally {
    await stack.stop({ discardData: true })
  }
}

const was = await backedUp()
await mkdir(second, { recursive: true })
await copyFile(join(folder, 'secrets.json'), join(second, 'secrets.json'))
// The engines alone: what is restored must not be written to meanwhile.
const stack = await startStack({ dataDir: second, log, env, services: [] })
try {
  const began = Date.now()
  await restore(stack, folder)
  for (const service of serviceNames) await stack.restart(service)
  console.log(`restored and started in ${((Date.now() - began) / 1000).toFixed(1)} s`)
  console.log(`before the repair: ${JSON.stringify(await brokenReferences(stack))}`)
  console.log(`rebuild-projections: ${JSON.stringify(await manage(stack, 'rebuild-projections'))}`)
  await eventually(async () => {
    const broken = Object.entries(await brokenReferences(stack)).filter(([, count]) => count > 0)
    if (broken.length > 0) throw new Error(JSON.stringify(broken))
  }, 30).catch((error: unknown) => void problems.push(`after the repair: ${error}`))

  /** The same account, at the address of the new system. */
  const here = (client: Client) => {
    const host = client.host.replace(/:\d+$/, `:${new URL(stack.url).port}`)
    return new Client(stack.address.origin, host, client.credentials)
  }
  for (const reader of was.readers) {
    const found = new Set<number>()
    for (let anchor = 0, isLast = false; !isLast; ) {
      const wish = { anchor, num_before: 0, num_after: 1000, include_anchor: false }
      const page = await succeeded(here(reader).get('/messages', wish))
      for (const { id } of page.messages) found.add(id)
      anchor = page.messages.at(-1)?.id ?? anchor
      isLast = page.found_newest
    }
    const lost = was.messages.filter((id) => !found.has(id))
    if (lost.length > 0) problems.push(`${reader.email} lost ${lost.slice(0, 10)} (${lost.length})`)
  }
  for (const [url, content] of was.files) {
    const answer = await here(was.uploader).sendRaw('GET', url)
    if (answer.status !== 200 || answer.text !== content.toString('utf8'))
      problems.push(`${url}: ${answer.status}, ${answer.text.length} characters`)
  }
  const work = await Workload.start(stack.address, { senders: 4, receivers: 6 })
  await work.progress(200)
  for (const problem of await work.finish()) problems.push(`afterwards: ${problem}`)
  const world = await World.create(stack.address)
  const again = {
    messages: work.acknowledged.filter((id) => was.given.messages.has(id)),
    people: [(await world.user()).id, ...work.receivers.map(({ user }) => (user as TestUser).id)].filter(
      (id) => was.given.people.has(id),
    ),
    realms: [world.realmId].filter((id) => was.given.realms.has(id)),
  }
  for (const [kind, ids] of Object.entries(again))
    if (ids.length > 0)
      problems.push(`IDs of ${kind} were given out twice: ${ids.slice(0, 10)} (${ids.length})`)
  // Those who were there talk on as well.
  const [one, other] = was.readers
  await succeeded(here(one!).post('/messages', { type: 'direct', to: [other!.id], content: 'we are back' }))
  for (const { name, reason } of stack.deaths) problems.push(`${name} died: ${reason}`)
} finally {
  await stack.stop({ discardData: true })
  if (process.env.KEEP_TEST_LOGS === undefined) await rm(root, { recursive: true, force: true })
}
console.log(
  `seed ${seed}: ${was.messages.length} messages and ${was.files.size} files looked for, ${problems.length} problems`,
)
for (const problem of problems) console.log(`  ${problem}`)
process.exit(problems.length === 0 ? 0 : 1)
