import { timingSafeEqual } from 'node:crypto'
import type { CallerRealm } from '@parley/contracts'
import type { LinkKeys } from '../invites/link-keys.ts'

export const unsubscribeUrl = (keys: LinkKeys, realm: CallerRealm, email: string): string => {
  const query = new URLSearchParams({ email, key: keys.ofAddress(realm.id, email) })
  return `${realm.url}/unsubscribe?${query}`
}

/** Whether somebody has the link that was sent to an address. */
export const isUnsubscribeKey = (keys: LinkKeys, realmId: number, email: string, key: string): boolean => {
  const [sent, right] = [Buffer.from(key), Buffer.from(keys.ofAddress(realmId, email))]
  return sent.length === right.length && timingSafeEqual(sent, right)
}
