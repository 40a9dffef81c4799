import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

interface ExportLink {
  readonly exportId: number
  /** Who was given the address: it works only while that account may have the export. */
  readonly userId: number
}

/** Addresses of exports, which work without credentials: browsers that are logged in nowhere open them. */
export interface ExportLinks {
  /** The secret part of an address. */
  issue(link: ExportLink): string
  /** Undefined for what was not issued here, or too long ago. */
  read(token: string): ExportLink | undefined
}

/** `secret` is what all processes of the service share; `hours` is how long an address works. */
export const exportLinks = (secret: Buffer, hours: number, now: () => number = Date.now): ExportLinks => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'parley identity addresses of exports', 32))
  const seal = (text: string): Buffer => createHmac('sha256', key).update(text).digest()
  return {
    issue({ exportId, userId }) {
      const text = `${exportId}.${userId}.${Math.floor(now() / 1000 + hours * 3600)}`
      return `${text}.${seal(text).toString('base64url')}`
    },
    read(token) {
      const match = /^((\d{1,16})\.(\d{1,16})\.(\d{1,12}))\.([\w-]{43})$/.exec(token)
      if (match === null) return undefined
      const [, text, exportId, userId, expiry, sent] = match as unknown as string[]
      if (!timingSafeEqual(seal(text!), Buffer.from(sent!, 'base64url'))) return undefined
      return Number(expiry) * 1000 < now()
        ? undefined
        : { exportId: Number(exportId), userId: Number(userId) }
    },
  }
}
