import { realmPlaygrounds } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { playgroundsOf } from './linkifier-store.ts'

export const announcePlaygrounds = async (
  tx: Tx<typeof realmPlaygrounds>,
  realmId: number,
): Promise<void> => {
  const audience = { realm: realmId, everyone: true } as const
  tx.emit(realmPlaygrounds, audience, { realm_playgrounds: await playgroundsOf(tx.sql, realmId) })
}
