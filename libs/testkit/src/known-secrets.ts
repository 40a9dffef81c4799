import { appendFileSync } from 'node:fs'

/**
 * What must never be in a log: keys, passwords, tokens and cookies that clients of a run sent or were given. They are
 * collected in the file that PARLEY_SECRETS names, one JSON text a line, for the test that reads the logs at the end.
 */
const secretNames =
  /^(api_key|new_api_key|password|old_password|new_password|ldap_password|token|csrf_?token|csrfmiddlewaretoken|secret|bouncer_token|kind_token|push_key)$/i

/** Shorter texts are in logs by chance. */
const shortest = 8

const noted = new Set<string>()

const note = (secret: unknown): void => {
  if (typeof secret !== 'string' || secret.length < shortest || noted.has(secret)) return
  noted.add(secret)
  appendFileSync(process.env.PARLEY_SECRETS!, `${JSON.stringify(secret)}\n`)
}

/** Words that tests send in the place of a secret may be in a log by chance; keys and passwords have digits or spaces. */
const isTelling = (text: unknown): boolean =>
  typeof text === 'string' && /[a-z]/i.test(text) && /[\d ]/.test(text)

const search = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inside] of Object.entries(value)) {
    if (secretNames.test(name) && isTelling(inside)) note(inside)
    // Links that open without a key.
    else if (typeof inside === 'string' && inside.includes('/user_uploads/temporary/'))
      note(inside.split('/').at(-2))
    search(inside)
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Looks for secrets in one request and its answer; does nothing where nobody collects them. */
export const noteSecrets = (exchange: {
  target: string
  key: string | undefined
  sent: Record<string, string>
  body: string | Buffer | undefined
  received: Record<string, string | string[] | undefined>
  text: string
}): void => {
  if (process.env.PARLEY_SECRETS === undefined) return
  const { target, key, sent, body, received, text } = exchange
  note(key)
  note(sent['x-csrftoken'])
  const cookies = [sent.cookie?.split('; '), received['set-cookie']].flat(2)
  for (const cookie of cookies) note(cookie?.split(';')[0]?.split('=')[1])
  if (typeof body === 'string') {
    if (body.startsWith('{')) search(parsed(body))
    else search(Object.fromEntries(new URLSearchParams(body)))
  }
  search(Object.fromEntries(new URLSearchParams(target.split('?')[1] ?? '')))
  // Large answers are lists of what everybody may see.
  if (text.length < 20_000) search(parsed(text))
}
