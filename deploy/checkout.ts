import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this checkout. */
export const checkout = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** Where `npm start` keeps data, logs, secrets and state (ignored by git). */
export const startDataDir = join(checkout, '.parley')

/** Where Node keeps what it compiled of this checkout (ignored by git; the image has its own, made when it is built). */
export const compiledDir = join(startDataDir, 'compiled')
