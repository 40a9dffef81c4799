import { type KnownCaller, refuse } from '@parley/contracts'
import { alertWords } from '@parley/contracts/identity/events'
import type { Tx } from '@parley/kit'
import { alertWordsFinding } from './alert-word-rules.ts'
import { publishPersonal } from './personal-facts.ts'
import { lockPersonal, storePersonal } from './personal-store.ts'

/** Changes the caller's alert words, and tells of it where anything is different. @throws ApiError BAD_REQUEST */
export const changeAlertWords = async (
  tx: Tx<typeof alertWords>,
  { realm, user }: KnownCaller,
  change: (words: readonly string[]) => string[],
): Promise<{ alert_words: string[] }> => {
  const [personal] = await lockPersonal(tx.sql, [user.id])
  const alert_words = change(personal!.alert_words)
  const finding = alertWordsFinding(alert_words)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  if (alert_words.length !== personal!.alert_words.length) {
    await storePersonal(tx.sql, [{ ...personal!, alert_words }])
    await publishPersonal(tx, realm.id, [user.id])
    tx.emit(alertWords, { realm: realm.id, users: [user.id] }, { alert_words })
  }
  return { alert_words }
}
