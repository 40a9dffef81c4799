/** What an operator types, as it is typed: at a terminal, through a pipe, and where nobody can be asked. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { showApiKey } from '@parley/contracts/identity/internals'
import { listRealms } from '@parley/contracts/identity/realm-life-questions'
import { Client, EventReader, eventually, succeeded, World } from '@parley/testkit'
import { expect, it } from 'vitest'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly errors: string
}

const environment = (world: World): NodeJS.ProcessEnv => ({
  ...process.env,
  IDENTITY_URL: world.stack.identityUrl,
  SIGNING_KEY: world.stack.manageKey,
  S3_BUCKET: 'parley',
})

const ended = async (child: ChildProcess): Promise<Ended> => {
  let [out, errors] = ['', '']
  child.stdout?.on('data', (text) => {
    out += text
  })
  child.stderr?.on('data', (text) => {
    errors += text
  })
  const [code] = await once(child, 'close')
  return { code, out, errors }
}

const manage = (world: World, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, ['deploy/manage/main.ts', ...args], { env: environment(world) })

/** At a terminal, where the question is answered. */
const atTerminal = (world: World, args: readonly string[], answer: string): Promise<Ended> => {
  const terminal = `
import os, pty, sys
master = None
pid, master = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:-1])
said, answered = b'', False
while True:
    try:
        some = os.read(master, 4096)
    except OSError:
        break
    if not some:
        break
    said += some
    if b'[yes/no]' in said and not answered:
        answered = True
        os.write(master, sys.argv[-1].encode() + b'\\n')
sys.stdout.write(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`
  const command = [process.execPath, 'deploy/manage/main.ts', ...args, answer]
  return ended(spawn('python3', ['-c', terminal, ...command], { env: environment(world) }))
}

it('asks before what cannot be taken back, and does nothing where nobody can be asked', async () => {
  const world = await World.create()
  await world.user({ role: 'owner' })
  const isActive = async () => {
    const { realms } = await world.ask(listRealms, {})
    return realms.find(({ realm_id }) => realm_id === world.realmId)!.is_active
  }
  const command = ['deactivate-realm', '--realm', world.subdomain, '--deletion-days', '14']
  const alone = manage(world, command)
  alone.stdin!.end('yes\n')
  const unasked = await ended(alone)
  expect([unasked.code, unasked.out]).toEqual([1, ''])
  expect(unasked.errors).toMatch(/will be deleted for good 14 days from now.*say --yes/)
  const refused = await atTerminal(world, command, 'no')
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('Nothing was done.')])
  expect(await isActive()).toBe(true)
  const agreed = await atTerminal(world, command, 'yes')
  expect([agreed.code, agreed.out]).toEqual([0, expect.stringContaining('deletion')])
  expect(await isActive()).toBe(false)
})

it('takes an archive in through a pipe, with people as stubs until they log in', async () => {
  const world = await World.create()
  const owner = await world.user({ role: 'owner' })
  const member = await world.user({ name: 'Max Member' })
  await succeeded(owner.post('/messages', { type: 'direct', to: [member.id], content: 'from before' }))
  const folder = await mkdtemp(join(tmpdir(), 'parley-by-hand-'))
  const file = join(folder, 'archive.tar')
  const subdomain = `${world.subdomain}b`
  try {
    const saved = await ended(manage(world, ['export-realm', '--realm', world.subdomain, '--out', file]))
    expect([saved.code, saved.errors]).toEqual([0, expect.stringMatching(/export \d+: finished/)])
    const taking = manage(world, ['import-realm', '-', '--subdomain', subdomain, '--stubs'])
    createReadStream(file).pipe(taking.stdin!)
    const taken = await ended(taking)
    expect([taken.code, taken.errors]).toEqual([0, expect.stringMatching(/done/)])
    expect(JSON.parse(taken.out)).toMatchObject({ stage: 'done', subdomain })
  } finally {
    await rm(folder, { recursive: true })
  }

  const host = `${subdomain}.${world.stack.host}`
  const keyOf = async (email: string) => (await world.ask(showApiKey, { realm: subdomain, email })).api_key
  const chief = new Client(world.stack.origin, host, { email: owner.email, key: await keyOf(owner.email) })
  const people = async (): Promise<
    Record<string, { user_id: number; is_imported_stub: boolean; date_joined: string }>
  > =>
    Object.fromEntries(
      (await succeeded(chief.get('/users'))).members.map((one: { email: string }) => [one.email, one]),
    )
  const before = (await people())[member.email]!
  expect(before.is_imported_stub).toBe(true)
  const reader = await eventually(() => EventReader.register(chief, { event_types: ['realm_user'] }), 20)

  const anybody = new Client(world.stack.origin, host)
  const logIn = () => succeeded(anybody.post('/dev_fetch_api_key', { username: member.email }))
  const { api_key } = await logIn()
  await logIn()
  const told = await reader.waitFor(
    ({ person }) => person?.user_id === before.user_id && 'is_imported_stub' in person,
  )
  expect(told).toMatchObject({ op: 'update', person: { user_id: before.user_id, is_imported_stub: false } })
  const after = (await people())[member.email]!
  expect([after.is_imported_stub, after.date_joined > before.date_joined]).toEqual([false, true])
  const max = new Client(world.stack.origin, host, { email: member.email, key: api_key })
  await succeeded(max.patch('/settings', { full_name: 'Max the Second' }))
  const heard = await reader.until(({ person }) => person?.full_name === 'Max the Second')
  expect(heard.filter(({ person }) => 'is_imported_stub' in (person ?? {}))).toHaveLength(1)
  const { messages } = await succeeded(
    max.get('/messages', { anchor: 'newest', num_before: 5, num_after: 0 }),
  )
  expect(messages.map(({ content }: { content: string }) => content)).toContain('<p>from before</p>')
})
