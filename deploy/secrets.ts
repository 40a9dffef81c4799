import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Generated secrets of one stack, kept in its data folder (readable by its owner only): what was encrypted or
 * signed with them stays valid over a restart, and they are lost together with the data.
 */
export class Secrets {
  readonly #path: string
  readonly #values: Record<string, string>

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true })
    this.#path = join(dataDir, 'secrets.json')
    this.#values = read(this.#path)
  }

  /** The secret called `name`, generated on first use: by `generate`, else 24 random bytes in base64url. */
  get(name: string, generate: () => string = () => randomBytes(24).toString('base64url')): string {
    const known = this.#values[name]
    if (known !== undefined) return known
    const made = generate()
    this.#values[name] = made
    writeFileSync(this.#path, `${JSON.stringify(this.#values, null, 2)}\n`, { mode: 0o600 })
    return made
  }
}

function read(path: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
