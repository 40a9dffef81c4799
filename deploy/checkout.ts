import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this checkout. */
export const checkout = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** Where `npm start` keeps data, logs, secrets and state (ignored by git). */
export const startDataDir = join(checkout, '.parley')
