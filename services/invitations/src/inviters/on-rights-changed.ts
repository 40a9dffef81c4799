import { consumeIntoDatabase } from '@parley/bus'
import { groupsTopic, realmsTopic, type UserFact, usersTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { Deps, Queries } from '../room.ts'
import { endInvitationsOf, noteInviters } from './inviter-store.ts'

/** An account that came or changed: it needs no invitation any more, and may have lost the right to invite. */
export const takeInAccount = async (sql: Queries, user: UserFact): Promise<void> => {
  if (user.is_active && user.bot_type === null) {
    await endInvitationsOf(sql, user.realm_id, user.delivery_email)
  }
  await noteInviters(sql, { inviterId: user.id })
}

/** Follows all that decides who may invite: accounts, settings, groups. What it means for whom is asked of identity. */
export const onRightsChanged = async (deps: Pick<Deps, 'bus' | 'database' | 'judge'>): Promise<Running[]> => {
  const { bus, database, judge } = deps
  return [
    await consumeIntoDatabase({
      bus,
      database,
      name: 'invitations.users',
      topic: usersTopic,
      handle: async (tx, { value }) => {
        if (value === null) return
        await takeInAccount(tx.sql, value)
        tx.afterCommit(judge.wake)
      },
    }),
    await consumeIntoDatabase({
      bus,
      database,
      name: 'invitations.realms',
      topic: realmsTopic,
      handle: async (tx, { value }) => {
        if (value === null) return
        await noteInviters(tx.sql, { realmId: value.id })
        tx.afterCommit(judge.wake)
      },
    }),
    await consumeIntoDatabase({
      bus,
      database,
      name: 'invitations.groups',
      topic: groupsTopic,
      handle: async (tx, { value }) => {
        if (value === null) return
        await noteInviters(tx.sql, { realmId: value.realm_id })
        tx.afterCommit(judge.wake)
      },
    }),
  ]
}
