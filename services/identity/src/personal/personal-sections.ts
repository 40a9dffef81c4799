import {
  alertWordsSection as alertWordsContract,
  mutedUsersSection as mutedUsersContract,
} from '@parley/contracts/identity/sections'
import { section } from '../room.ts'
import { mutedBy, personalOf } from './personal-store.ts'

export const alertWordsSection = section(
  alertWordsContract,
  async ({ caller, sql }) => ({ alert_words: [...(await personalOf(sql, caller.user.id)).alert_words] }),
  async () => ({ alert_words: [] }),
)

export const mutedUsersSection = section(
  mutedUsersContract,
  async ({ caller, sql }) => ({ muted_users: await mutedBy(sql, caller.user.id) }),
  async () => ({ muted_users: [] }),
)
