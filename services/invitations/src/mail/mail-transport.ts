import { createTransport } from 'nodemailer'
import type { ComposedMail } from './compose-mail.ts'

/** Milliseconds for each step of a conversation with the mail server; all of one is shorter than a mail's lease. */
const patience = 20_000

/** The way out of the house for mail. */
export interface MailTransport {
  /**
   * Resolves when the server took the mail over.
   *
   * @throws MailRefusedError when it will never take it; anything else may be tried again.
   */
  send(mail: ComposedMail & { readonly id: number; readonly to: string }): Promise<void>
  close(): void
}

/** The server said for good that it does not take this mail. */
export class MailRefusedError extends Error {}

/** `url` as `smtp://user:password@host:587` or `smtps://...`; `from` as it stands in the mail. */
export const mailTransport = (url: string, from: string, host: string): MailTransport => {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 3,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ id, to, subject, text, html, unsubscribeUrl }) {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          // The same for every attempt, so that a mail that arrives twice is recognised.
          messageId: `<parley-${id}@${host}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl === null
              ? {}
              : {
                  'List-Unsubscribe': `<${unsubscribeUrl}>`,
                  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
                }),
          },
        })
      } catch (error) {
        const { responseCode, command } = error as { responseCode?: number; command?: string }
        // 5xx while logging in speaks of our settings, not of the mail.
        if (
          responseCode !== undefined &&
          responseCode >= 500 &&
          !/^(AUTH|EHLO|HELO|CONN)/.test(command ?? '')
        ) {
          throw new MailRefusedError((error as Error).message, { cause: error })
        }
        throw error
      }
    },
    close: () => transport.close(),
  }
}
