/** Uses every kind of secret there is, in good calls and in calls that fail, and says what they were. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Answer, type Client, eventually, succeeded, World } from '@parley/testkit'
import type { Stack } from '../../deploy/stack.ts'

/** Secrets by what they are. */
export type Secrets = Map<string, string>

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const encoded = (wish: Record<string, string>): string => new URLSearchParams(wish).toString()
const lastPart = (url: string): string =>
  new URL(url, 'http://x').pathname.split('/').findLast((part) => part !== '')!
/** Long enough that it stands nowhere by chance. */
const canary = (name: string): string => `canary-${name}-${crypto.randomUUID()}`

const mailed = (client: Client, address: string, pattern: RegExp): Promise<string> =>
  eventually(async () => {
    const { mails } = await succeeded(client.get('/captured_mail'))
    const found = pattern.exec(
      mails.find(({ to, text }: { to: string; text: string }) => to === address && pattern.test(text))?.text,
    )
    if (found === null) throw new Error(`no mail to ${address} with ${pattern}`)
    return found[1]!
  }, 30)

export const useSecrets = async (stack: Stack): Promise<Secrets> => {
  const world = await World.create(stack.address)
  const secrets: Secrets = new Map()
  const keep = (name: string, value: unknown): string => {
    const text = String(value)
    if (text.length < 16) throw new Error(`${name} is no secret: ${text}`)
    secrets.set(name, text)
    return text
  }
  const password = keep('password', canary('password'))
  const owner = await world.user({ role: 'owner', password })
  const nobody = world.stranger()
  keep('API key', owner.credentials!.key)

  // Log-ins, good and bad, by every door.
  const fill = (path: string, wish: Record<string, string>) =>
    nobody.sendRaw('POST', path, encoded(wish), form)
  const logIn = (more: Record<string, string>) => fill('/json/login', { username: owner.email, ...more })
  const session = await logIn({ password })
  const cookies = [session.headers['set-cookie']].flat().map((one) => String(one).split(';')[0]!)
  for (const cookie of cookies) keep(`cookie ${cookie.split('=')[0]}`, cookie.slice(cookie.indexOf('=') + 1))
  const cookie = cookies.join('; ')
  await nobody.sendRaw('GET', '/json/users/me', undefined, { cookie })
  const wrong = keep('mistyped password', canary('mistyped'))
  await logIn({ password: wrong })
  await nobody.post('/fetch_api_key', { username: owner.email, password: wrong })
  await succeeded(nobody.post('/fetch_api_key', { username: owner.email, password }))
  const unknownKey = keep('wrong key', 'K'.repeat(8) + crypto.randomUUID().replaceAll('-', '').slice(8))
  await world.stranger({ email: owner.email, key: unknownKey }).get('/users/me')

  // Bots, their tokens and secrets, and a call that finds nobody.
  const bot = await succeeded(
    owner.post('/bots', {
      full_name: 'Hook',
      short_name: 'hook',
      bot_type: 3,
      payload_url: 'http://127.0.0.1:9/nobody-listens',
    }),
  )
  keep('bot key', bot.api_key)
  const { state } = await registered(owner)
  const services = state.realm_bots.flatMap(({ services }: { services: { token?: string }[] }) => services)
  for (const { token } of services) if (token !== undefined) keep('webhook token', token)
  const rotated = await eventually(() => succeeded(owner.post(`/bots/${bot.user_id}/webhook/rotate_secret`)))
  keep('webhook secret', rotated.webhook.signing_secret)
  const spoken = keep('what is said in private', canary('said'))
  await succeeded(owner.post('/messages', { type: 'direct', to: [bot.user_id], content: spoken }))

  // Links that open something.
  const { invite_link } = await succeeded(owner.post('/invites/multiuse', {}))
  const key = keep('key of a reusable link', lastPart(invite_link))
  await nobody.get(`/join/${key}`)
  await nobody.sendRaw('GET', new URL(invite_link).pathname)
  await succeeded(nobody.post('/join/confirm', { key, email: 'join@canary.example' }))
  const joining = keep('mailed key', await mailed(nobody, 'join@canary.example', /\/join\/([\w-]{32})\//))
  await nobody.post('/join', { key: joining, full_name: 'J', password: keep('new password', canary('new')) })
  await fill('/accounts/password/reset', { email: owner.email })
  const reset = keep(
    'key of a new password',
    await mailed(nobody, owner.email, /\/accounts\/\S*\/([\w-]{20,})/),
  )
  await nobody.sendRaw('GET', `/accounts/password/reset/${reset}/`)
  await fill('/accounts/password/change', { key: `${reset}x`, password: wrong })

  // Files and devices.
  const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\ncontent\r\n--b--\r\n'
  const { url } = await succeeded(
    owner.send('POST', '/user_uploads', file, { 'content-type': 'multipart/form-data; boundary=b' }),
  )
  const temporary: string = (await succeeded(owner.get(url))).url
  keep(
    'token of a temporary link',
    temporary.split('/').find((part) => part.length > 20),
  )
  await nobody.sendRaw('GET', temporary)
  await owner.post('/users/me/android_gcm_reg_id', { token: keep('push token', canary('push')) })

  // The same while the database is away: what is logged of errors holds no parameters.
  await stack.stopEngine('postgres', 'SIGKILL')
  const attempts: (() => Promise<unknown>)[] = [
    () => logIn({ password }),
    () => nobody.post('/fetch_api_key', { username: owner.email, password: wrong }),
    () => owner.post('/messages', { type: 'direct', to: [owner.id], content: spoken }),
    () => nobody.post('/join', { key: joining, full_name: 'J', password }),
    () => owner.patch('/settings', { old_password: password, new_password: secrets.get('new password')! }),
    () => nobody.sendRaw('GET', temporary),
  ]
  for (const attempt of attempts) await attempt().catch(() => {})
  await stack.startEngine('postgres')
  await eventually(() => succeeded(owner.get('/users/me')), 60)
  await eventually(
    () =>
      succeeded(
        owner.patch('/settings', { old_password: password, new_password: secrets.get('new password')! }),
      ),
    60,
  )
  await succeeded(owner.post('/users/me/api_key/regenerate')).then(({ api_key }) =>
    keep('new API key', api_key),
  )
  return secrets
}

const registered = async (client: Client): Promise<{ state: Answer['body'] }> => ({
  state: await succeeded(client.post('/register', { fetch_event_types: ['realm_bot'] })),
})

/** Where secrets stand that must stand nowhere: in files of a folder, and in texts by name. */
export const leaks = async (
  secrets: Secrets,
  folder: string,
  texts: Readonly<Record<string, string>>,
): Promise<string[]> => {
  const found: string[] = []
  const look = (place: string, text: string): void => {
    for (const [name, secret] of secrets) {
      for (const form of new Set([
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64').slice(0, -4),
      ]))
        if (text.includes(form)) found.push(`${name} stands in ${place}: ...${around(text, form)}...`)
    }
  }
  for (const name of await readdir(folder)) look(name, await readFile(join(folder, name), 'utf8'))
  for (const [name, text] of Object.entries(texts)) look(name, text)
  return found
}

const around = (text: string, part: string): string => {
  const at = text.indexOf(part)
  return text.slice(Math.max(0, at - 200), at).replaceAll('\n', ' ')
}
