/**
 * Runs after all other tests: reads what the services and engines of the run have logged, and looks for every secret that
 * a client of the run sent or was given.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceNames } from '@parley/contracts'
import { succeeded, World } from '@parley/testkit'
import { expect, it } from 'vitest'

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run through npm test`)
  return value
}

const password = 'a password that nobody logs'

/** Log-ins that succeed and fail, a session, a bot with its token, a link that opens by itself. */
const useSecrets = async (): Promise<void> => {
  const world = await World.create()
  const anna = await world.user({ password })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const logIn = (secret: string) =>
    world.stranger().sendRaw('POST', '/json/login', `username=${anna.email}&password=${secret}`, form)
  expect((await logIn('wrong but secret all the same')).status).toBe(401)
  const { headers } = await logIn(encodeURIComponent(password))
  const cookie = [headers['set-cookie']]
    .flat()
    .map((one) => one!.split(';')[0])
    .join('; ')
  expect((await world.stranger().sendRaw('GET', '/json/users/me', undefined, { cookie })).status).toBe(200)
  const wrong = { email: anna.email, key: 'wrong-key-of-somebody-else' }
  expect((await world.stranger(wrong).get('/users/me')).status).toBe(401)
  const payload_url = 'http://127.0.0.1:9/nobody-listens'
  const bot = await succeeded(
    anna.post('/bots', { full_name: 'Bot', short_name: 'bot', bot_type: 3, payload_url }),
  )
  await succeeded(anna.post('/messages', { type: 'direct', to: [bot.user_id], content: 'call' }))
  await succeeded(anna.post('/users/me/api_key/regenerate'))
}

const secretsOfRun = async (): Promise<string[]> => {
  const lines = (await readFile(setting('PARLEY_SECRETS'), 'utf8')).split('\n').filter((line) => line !== '')
  return [...new Set(lines.map((line) => JSON.parse(line) as string))]
}

/** The secrets that stand in a text: as they are, as JSON and URLs write them, and in the header of HTTP Basic. */
const found = (text: string, secrets: readonly string[]): string[] => {
  const words = new Set(text.split(/[^\w.~+/=-]+/))
  const decoded = [...words]
    .filter((word) => word.length > 16 && /^[\w+/]+=*$/.test(word))
    .map((word) => Buffer.from(word, 'base64').toString('latin1'))
  const inside = new Set(decoded.flatMap((word) => word.split(':')))
  const isPlain = /^[\w.~+/=-]+$/
  return secrets.filter((secret) =>
    isPlain.test(secret)
      ? words.has(secret) || inside.has(secret)
      : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)].some((written) =>
          text.includes(written),
        ),
  )
}

it('would find a secret, however it is written', () => {
  const secrets = ['k3yOfSomebody', 'a pass"word', 'never said']
  expect(found('{"key":"k3yOfSomebody"}', secrets)).toEqual(['k3yOfSomebody'])
  expect(found(JSON.stringify({ text: 'is a pass"word' }), secrets)).toEqual(['a pass"word'])
  expect(found(`GET /?p=${encodeURIComponent('a pass"word')}`, secrets)).toEqual(['a pass"word'])
  const basic = Buffer.from('anna@example.org:k3yOfSomebody').toString('base64')
  expect(found(`{"authorization":"Basic ${basic}"}`, secrets)).toEqual(['k3yOfSomebody'])
})

it('no secret of the run is in any log, and services log JSON', async () => {
  await useSecrets()
  const secrets = await secretsOfRun()
  expect(secrets.length).toBeGreaterThan(12)
  expect(secrets).toContain(password)
  const logs = await readdir(setting('PARLEY_LOGS'))
  expect(logs.map((file) => file.replace('.log', ''))).toEqual(expect.arrayContaining([...serviceNames]))
  const findings: string[] = []
  for (const file of logs) {
    const text = await readFile(join(setting('PARLEY_LOGS'), file), 'utf8')
    for (const secret of found(text, secrets)) findings.push(`${file}: ${secret.slice(0, 4)}...`)
    if (!serviceNames.some((name) => file.startsWith(name))) continue
    // Warnings of node itself are not ours to shape.
    const lines = text.split('\n').filter((line) => line !== '' && !/^\((node:|Use `node)/.test(line))
    expect(lines.length).toBeGreaterThan(0)
    const odd = lines.filter((line) => {
      try {
        const { level, time, service } = JSON.parse(line)
        return level === undefined || time === undefined || service === undefined
      } catch {
        return true
      }
    })
    expect(odd.slice(0, 5), file).toEqual([])
  }
  expect(findings).toEqual([])
})
