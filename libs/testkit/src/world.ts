import { randomBytes } from 'node:crypto'
import { type RoleName, roles } from '@parley/contracts'
import { createRealm, createUser, findRealm } from '@parley/contracts/identity/internals'
import { type Ask, internalClient, tokenSigner } from '@parley/kit'
import { Client } from './client.ts'

/** How a test finds the running system; set by whoever started it (see deploy/stack.ts). */
export interface StackAddress {
  /** Where the gateway listens, e.g. `http://127.0.0.1:41234`. */
  readonly origin: string
  /** Host (with port) of the root organization. */
  readonly host: string
  readonly identityUrl: string
  /** Private key of the issuer `manage`: base64 of PKCS8 DER. */
  readonly manageKey: string
}

/** Reads the address from the environment variable PARLEY_STACK (JSON). */
export const stackFromEnvironment = (): StackAddress => {
  const text = process.env.PARLEY_STACK
  if (text === undefined) throw new Error('PARLEY_STACK is not set: run through npm test, or start a stack')
  return JSON.parse(text) as StackAddress
}

export interface TestUser extends Client {
  readonly id: number
  readonly email: string
}

class Account extends Client implements TestUser {
  readonly id: number
  readonly email: string
  constructor(stack: StackAddress, host: string, user: { user_id: number; email: string; api_key: string }) {
    super(stack.origin, host, { email: user.email, key: user.api_key })
    this.id = user.user_id
    this.email = user.email
  }
}

const asManager = (stack: StackAddress): Ask =>
  internalClient({
    config: { IDENTITY_URL: [stack.identityUrl] },
    signer: tokenSigner('manage', stack.manageKey),
  })

/** An organization of a test's own, so that tests never see each other. */
export class World {
  readonly realmId: number
  readonly subdomain: string
  readonly host: string
  readonly stack: StackAddress
  readonly ask: Ask
  #made = 0

  private constructor(stack: StackAddress, ask: Ask, realm: { realm_id: number; subdomain: string }) {
    this.stack = stack
    this.ask = ask
    this.realmId = realm.realm_id
    this.subdomain = realm.subdomain
    this.host = realm.subdomain === '' ? stack.host : `${realm.subdomain}.${stack.host}`
  }

  /**
   * The organization at the root host, shared by all tests of a run: only for clients that can't reach a subdomain of
   * localhost. Its users need addresses of their own.
   */
  static async atRoot(stack: StackAddress = stackFromEnvironment()): Promise<World> {
    const ask = asManager(stack)
    const { realm } = await ask(findRealm, { subdomain: '' })
    const made = realm ?? (await ask(createRealm, { subdomain: '', name: 'Root' }))
    return new World(stack, ask, { realm_id: 'id' in made ? made.id : made.realm_id, subdomain: '' })
  }

  /** `demoDays`: a demo organization, which is deleted after so many days, or at once when its owners want that. */
  static async create(
    stack: StackAddress = stackFromEnvironment(),
    { demoDays }: { demoDays?: number } = {},
  ): Promise<World> {
    const ask = asManager(stack)
    const subdomain = `t${randomBytes(6).toString('hex')}`
    return new World(
      stack,
      ask,
      await ask(createRealm, { subdomain, name: `Test ${subdomain}`, demo_days: demoDays ?? null }),
    )
  }

  /** A new account, ready to call. */
  async user(
    wishes: { name?: string; role?: RoleName; password?: string; email?: string } = {},
  ): Promise<TestUser> {
    this.#made += 1
    const name = wishes.name ?? `Person ${this.#made}`
    const email = wishes.email ?? `person${this.#made}@${this.subdomain}.example`
    const made = await this.ask(createUser, {
      realm: this.subdomain,
      email,
      full_name: name,
      role: roles[wishes.role ?? 'member'],
      password: wishes.password ?? null,
    })
    return new Account(this.stack, this.host, made)
  }

  /** Somebody without credentials, or with wrong ones. */
  stranger(credentials?: { email: string; key: string }): Client {
    return new Client(this.stack.origin, this.host, credentials)
  }
}
