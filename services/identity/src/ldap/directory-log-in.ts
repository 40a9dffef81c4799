import { refuse } from '@parley/contracts'
import type { Tx } from '@parley/kit'
import type { ApiKeys } from '../keys/api-keys.ts'
import { createAccount } from '../users/account-creation.ts'
import { isDummyEmail } from '../users/email-visibility.ts'
import type { UserEvents } from '../users/user-announcements.ts'
import { emailFinding, fullNameFinding } from '../users/user-rules.ts'
import type { DirectoryPerson } from './directory.ts'

interface Place {
  readonly id: number
  readonly host: string
}

/** Characters that a name must not hold here, though directories allow them. */
const forbidden = /[*`\\>"@\p{Cc}\p{Cf}]/gu

/** The name of a person as it can be shown here. */
const nameFor = ({ full_name, email }: DirectoryPerson): string => {
  const name = full_name.replace(forbidden, '').trim().slice(0, 100)
  return fullNameFinding(name) === undefined
    ? name
    : email.split('@')[0]!.replace(forbidden, '').slice(0, 100)
}

/** Whether an account can have the address that the directory names. */
export const hasUsableEmail = ({ email }: DirectoryPerson, { host }: Place): boolean =>
  emailFinding(email) === undefined && !isDummyEmail(email, host)

/**
 * Makes the account of somebody whom the directory knows and the organization does not. Somebody who logs in twice at
 * once has one.
 */
export const createFromDirectory = async (
  tx: Tx<UserEvents>,
  keys: ApiKeys,
  person: DirectoryPerson,
  place: Place,
): Promise<void> => {
  const full_name = nameFor(person)
  if (fullNameFinding(full_name) !== undefined) {
    throw refuse('AUTHENTICATION_FAILED', 'Your username or password is incorrect')
  }
  await createAccount(tx, keys, {
    realm_id: place.id,
    realm_host: place.host,
    email: person.email,
    full_name,
    role: 400,
    password_hash: null,
  })
}
