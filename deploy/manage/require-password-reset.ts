import { requirePasswordReset } from '@parley/contracts/identity/account-links'
import { type Command, required } from './command.ts'

/** Has one person, or everybody of an organization, set a new password by mail before the next log-in by password. */
export const requirePasswordResetCommand: Command = {
  name: 'require-password-reset',
  usage: '--realm S [--email E]',
  options: ['realm', 'email'],
  run: (ask, values) =>
    ask(requirePasswordReset, { realm: required(values, 'realm'), email: values.email ?? null }),
}
