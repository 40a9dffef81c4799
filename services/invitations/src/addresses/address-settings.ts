import { realmSettings } from '@parley/contracts/identity/realm-settings'
import type { RealmFact } from '@parley/contracts/identity/topics'
import type { AddressSettings } from './address-rules.ts'

type JoiningSetting = keyof AddressSettings | 'invite_required'

/** The settings that decide who may join, as they are in force. */
export const joiningSettings = (
  realm: RealmFact,
): AddressSettings & { readonly invite_required: boolean } => {
  const inForce = (name: JoiningSetting): boolean =>
    (realm.settings?.[name] as boolean | undefined) ?? realmSettings[name].standard
  return {
    emails_restricted_to_domains: inForce('emails_restricted_to_domains'),
    disallow_disposable_email_addresses: inForce('disallow_disposable_email_addresses'),
    invite_required: inForce('invite_required'),
  }
}
