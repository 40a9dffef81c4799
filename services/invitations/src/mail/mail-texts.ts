/** The words of every mail, as plain text and as HTML of the same content; no I/O. */
import { escapeHtml } from './html.ts'
import type { MailContent } from './mail-store.ts'

interface Letter {
  readonly subject: string
  /** Paragraphs of plain text. */
  readonly paragraphs: readonly string[]
  /** What to do, and where. */
  readonly action?: { readonly label: string; readonly url: string }
  /** In small print. */
  readonly footer: readonly { readonly text: string; readonly url?: string }[]
}

const style = {
  body: 'font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;background:#fff',
  button:
    'display:inline-block;padding:10px 18px;background:#1f4fbf;color:#fff;text-decoration:none;border-radius:4px',
  footer: 'font-size:13px;color:#555',
}

const write = ({ subject, paragraphs, action, footer }: Letter): MailContent => {
  const text = [
    ...paragraphs,
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    '--',
    ...footer.map((line) => (line.url === undefined ? line.text : `${line.text}\n${line.url}`)),
  ].join('\n\n')
  const html = [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="${style.body}">`,
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(action === undefined
      ? []
      : [
          `<p><a style="${style.button}" href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`,
        ]),
    ...footer.map(({ text: line, url }) =>
      url === undefined
        ? `<p style="${style.footer}">${escapeHtml(line)}</p>`
        : `<p style="${style.footer}"><a href="${escapeHtml(url)}">${escapeHtml(line)}</a></p>`,
    ),
    '</body></html>',
  ].join('\n')
  return { subject, text: `${text}\n`, html }
}

interface Place {
  readonly realmName: string
  readonly realmUrl: string
}

export const invitationMail = (
  { realmName, realmUrl }: Place,
  { inviter, url, unsubscribeUrl }: { inviter: string; url: string; unsubscribeUrl: string },
): MailContent =>
  write({
    subject: `${inviter} invites you to ${realmName}`,
    paragraphs: [`${inviter} invites you to join the team chat of ${realmName} at ${realmUrl}.`],
    action: { label: 'Join', url },
    footer: [
      { text: 'Whoever has this link can join in your place: do not pass it on.' },
      { text: `No more invitations to ${realmName} for this address`, url: unsubscribeUrl },
    ],
  })

export const confirmationMail = ({ realmName, realmUrl }: Place, { url }: { url: string }): MailContent =>
  write({
    subject: `Confirm your address for ${realmName}`,
    paragraphs: [
      `Somebody, hopefully you, wants to join ${realmName} at ${realmUrl} with this e-mail address.`,
    ],
    action: { label: 'Confirm the address and create the account', url },
    footer: [{ text: 'If it was not you, there is nothing to do: without this link no account is made.' }],
  })

export const hasAccountMail = ({ realmName, realmUrl }: Place): MailContent =>
  write({
    subject: `You have an account at ${realmName}`,
    paragraphs: [
      `Somebody, hopefully you, wants to join ${realmName} with this e-mail address, which has an account there already.`,
    ],
    action: { label: 'Go there and log in', url: realmUrl },
    footer: [{ text: 'If it was not you, there is nothing to do.' }],
  })

export const foundingMail = (realmName: string, url: string): MailContent =>
  write({
    subject: `Create ${realmName}`,
    paragraphs: [
      `Somebody, hopefully you, wants to create the organization ${realmName} with this e-mail address as its owner's.`,
    ],
    action: { label: 'Confirm the address and create the organization', url },
    footer: [{ text: 'If it was not you, there is nothing to do: without this link nothing is made.' }],
  })

export const newAddressMail = (
  { realmName, realmUrl }: Place,
  { url, oldEmail }: { url: string; oldEmail: string },
): MailContent =>
  write({
    subject: `Confirm your new address for ${realmName}`,
    paragraphs: [
      `The account of ${oldEmail} at ${realmName} (${realmUrl}) shall get this e-mail address. Until you confirm it, nothing changes.`,
    ],
    action: { label: 'Use this address', url },
    footer: [{ text: 'If it was not you, there is nothing to do. The link is good for a day.' }],
  })

export const addressChangedMail = (
  { realmName, realmUrl }: Place,
  { newEmail }: { newEmail: string },
): MailContent =>
  write({
    subject: `Your account at ${realmName} has another address`,
    paragraphs: [
      `Your account at ${realmName} (${realmUrl}) has the e-mail address ${newEmail} now, instead of this one.`,
    ],
    footer: [{ text: 'If it was not you, tell an administrator of the organization at once.' }],
  })

export const passwordResetMail = ({ realmName, realmUrl }: Place, { url }: { url: string }): MailContent =>
  write({
    subject: `A new password for ${realmName}`,
    paragraphs: [
      `Somebody, hopefully you, wants to set a new password for your account at ${realmName} (${realmUrl}).`,
    ],
    action: { label: 'Set a new password', url },
    footer: [{ text: 'If it was not you, there is nothing to do. The link is good for a day.' }],
  })

export const deactivatedMail = (
  { realmName, realmUrl }: Place,
  { comment }: { comment: string },
): MailContent =>
  write({
    subject: `Your account at ${realmName} was deactivated`,
    paragraphs: [
      `Your account at ${realmName} (${realmUrl}) was deactivated: you cannot log in there any more.`,
      ...(comment === '' ? [] : ['The administrators say:', ...comment.split(/\n{2,}/)]),
    ],
    footer: [{ text: 'Answers to this mail reach nobody.' }],
  })
