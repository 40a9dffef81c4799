import { remindersSection as contract } from '@parley/contracts/channels/personal-sections'
import { section } from '../room.ts'
import { remindersOf } from './reminder-store.ts'

export const remindersSection = section(
  contract,
  async ({ caller, sql }) => ({
    reminders: await remindersOf(sql, caller.user.id),
  }),
  async () => ({ reminders: [] }),
)
