import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Seconds for which an address without credentials works (facts, section 2.5). */
const lifetime = 60

interface TemporaryLink {
  readonly fileId: number
  /** Who asked for the address: it works only while that account may have the file. */
  readonly userId: number
}

export interface TemporaryLinks {
  /** The secret part of an address. */
  issue(link: TemporaryLink): string
  /** Undefined for what was not issued here, or too long ago. */
  read(token: string): TemporaryLink | undefined
}

/** `secret` is what all processes of the service share. */
export const temporaryLinks = (secret: string, now: () => number = Date.now): TemporaryLinks => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'parley uploads: temporary links', 32))
  const seal = (text: string): Buffer => createHmac('sha256', key).update(text).digest()
  return {
    issue({ fileId, userId }) {
      const text = `${fileId}.${userId}.${Math.floor(now() / 1000) + lifetime}`
      return `${text}.${seal(text).toString('base64url')}`
    },
    read(token) {
      const match = /^((\d{1,16})\.(\d{1,16})\.(\d{1,12}))\.([\w-]{43})$/.exec(token)
      if (match === null) return undefined
      const [, text, fileId, userId, expiry, sent] = match as unknown as string[]
      if (!timingSafeEqual(seal(text!), Buffer.from(sent!, 'base64url'))) return undefined
      return Number(expiry) * 1000 < now() ? undefined : { fileId: Number(fileId), userId: Number(userId) }
    },
  }
}
