import { randomBytes } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import { bounded } from './bounded.ts'

/** Argon2id with OWASP's minimum for it: 19 MiB, two passes, one lane; 6 to 8 ms of an idle core. */
const cost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as Options

/** Waiting for a turn: clients give up after 15 s, and one that waited longer would be answered for nobody. */
const waiting = 500
const patience = 5000

/** Slow on purpose, so it runs in the thread pool, a few at a time; see PASSWORD_WORKERS. */
export interface Passwords {
  /** The form in which a password is stored (PHC). */
  hash(password: string): Promise<string>
  /**
   * Whether the password fits. Without a stored form (no such account, or one that has no password) it is false after
   * the same work, so that the time of an answer does not tell who has an account.
   *
   * @throws ApiError SERVER_NOT_READY when too many are being checked.
   */
  fits(password: string, stored: string | null): Promise<boolean>
}

/** `workers` is how many passwords are hashed at once; fewer than the pool's threads leave some for everything else. */
export const openPasswords = async (workers: number): Promise<Passwords> => {
  const inTurn = bounded({ running: workers, waiting, patience })
  const nobodys = await hash(randomBytes(32), cost)
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    fits: (password, stored) =>
      inTurn(async () => {
        const isRight = await verify(stored ?? nobodys, password)
        return isRight && stored !== null
      }),
  }
}
