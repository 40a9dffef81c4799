import { Counter } from 'prom-client'
import type { Deps } from '../room.ts'
import { composeMail } from './compose-mail.ts'
import { type Mail, postponeMail, settleMail } from './mail-store.ts'
import { MailRefusedError, type MailTransport } from './mail-transport.ts'

/** Seconds for which a mail is tried to be sent, and the longest pause between two attempts. */
const patience = 2 * 86_400
const longestPause = 3600

const handled = new Counter({
  name: 'parley_mails_total',
  help: 'Mails by kind and by what became of them.',
  labelNames: ['kind', 'outcome'],
})

type Parts = Pick<Deps, 'ask' | 'database' | 'keys' | 'publicUrl' | 'log'> & {
  /** Null where mail is kept to be looked at instead (development). */
  readonly transport: MailTransport | null
}

/** Sends a mail at last, keeps it for development, or puts it off. A mail may arrive twice, with one Message-ID. */
export const sendMail = async (parts: Parts, mail: Mail): Promise<void> => {
  const { sql } = parts.database
  const settle = async (outcome: Parameters<typeof settleMail>[2]): Promise<void> => {
    await settleMail(sql, mail.id, outcome)
    handled.inc({ kind: mail.kind, outcome: outcome.state })
  }
  try {
    const composed = await composeMail(parts, mail)
    if (composed === undefined) return await settle({ state: 'dropped' })
    const { unsubscribeUrl: _, ...content } = composed
    if (parts.transport === null) return await settle({ state: 'captured', content })
    await parts.transport.send({ ...composed, id: mail.id, to: mail.recipient })
    await settle({ state: 'sent' })
  } catch (error) {
    const { message } = error as Error
    if (error instanceof MailRefusedError || mail.age > patience) {
      parts.log.warn({ err: error, mail: mail.id, kind: mail.kind }, 'a mail was given up')
      return settle({ state: 'failed', error: message })
    }
    parts.log.warn({ err: error, mail: mail.id, kind: mail.kind }, 'a mail waits')
    handled.inc({ kind: mail.kind, outcome: 'postponed' })
    await postponeMail(sql, mail.id, Math.min(5 * 2 ** mail.attempts, longestPause), message)
  }
}
