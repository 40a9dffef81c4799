import { consumeIntoDatabase } from '@parley/bus'
import { type DepartureFact, departuresTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import { insertMails } from '../mail/mail-store.ts'
import type { Deps, Queries } from '../room.ts'

/** Writes the mail that an administrator wants the owner of an ended account to get. */
export const mailDeparture = async (
  sql: Queries,
  { realm_id, email, comment }: DepartureFact,
): Promise<void> => {
  if (comment === null) return
  await insertMails(sql, [
    { realm_id, kind: 'deactivated', recipient: email, subject_id: null, note: comment },
  ])
}

export const onDeparture = async ({
  bus,
  database,
  mailer,
}: Pick<Deps, 'bus' | 'database' | 'mailer'>): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus,
    database,
    name: 'invitations.departures',
    topic: departuresTopic,
    handle: async (tx, { value }) => {
      if (value === null) return
      await mailDeparture(tx.sql, value)
      tx.afterCommit(mailer.wake)
    },
  }),
]
