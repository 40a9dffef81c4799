import { limits } from '@parley/contracts'
import { isEmailAddress } from '@parley/contracts/objects/email-address'
import { codePoints } from '@parley/contracts/objects/values'
import { isDummyEmail } from './email-visibility.ts'

/** A sentence that says what is wrong, or undefined when nothing is. */
export type Finding = string | undefined

/** Facts, section 7: what a full name must not hold, because the message syntax gives it a meaning. */
const reservedCharacters = /[*`\\>"@]/
/** Characters that cannot be seen, and those that Unicode gives no meaning. Spaces other than the common one are seen. */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u
/** `name|12` names the account 12 in a mention. */
const mentionSuffix = /\|\d+$/

/** What is wrong with a full name, which is to be trimmed already. */
export const fullNameFinding = (name: string): Finding => {
  if (name === '') return 'Name too short!'
  if (codePoints(name) > limits.maxFullNameLength) return 'Name too long!'
  if (reservedCharacters.test(name) || invisibleCharacters.test(name)) return 'Invalid characters in name!'
  if (mentionSuffix.test(name)) return 'Invalid format!'
  return undefined
}

export const emailFinding = (email: string): Finding =>
  isEmailAddress(email) ? undefined : 'Enter a valid email address.'

export const passwordFinding = (password: string): Finding => {
  const length = codePoints(password)
  if (length < limits.minPasswordLength) {
    return `The password is too short (at least ${limits.minPasswordLength} characters).`
  }
  if (length > limits.maxPasswordLength) {
    return `The password is too long (at most ${limits.maxPasswordLength} characters).`
  }
  return undefined
}

/** What is wrong with an account that somebody wants to make; texts are to be trimmed already. */
export const newAccountFinding = (
  account: { email: string; full_name: string; password: string | null },
  realmHost: string,
): Finding =>
  emailFinding(account.email) ??
  (isDummyEmail(account.email, realmHost)
    ? `'${account.email}' is an address that the server gives out itself.`
    : undefined) ??
  fullNameFinding(account.full_name) ??
  (account.password === null ? undefined : passwordFinding(account.password))
