import { z } from 'zod'
import { event } from '../event.ts'
import { MutedUser } from '../objects/muted-user.ts'
import { OnboardingStep } from './onboarding.ts'

/** The caller's alert words changed; all of them. */
export const alertWords = event({ type: 'alert_words', fields: { alert_words: z.array(z.string()) } })

/** The caller muted or unmuted somebody; all whom it mutes now. */
export const mutedUsers = event({ type: 'muted_users', fields: { muted_users: z.array(MutedUser) } })

const SettingValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** One of the caller's settings changed; `language_name` only for `default_language`. */
export const userSettingsUpdate = event({
  type: 'user_settings',
  op: 'update',
  fields: { property: z.string(), value: SettingValue, language_name: z.string().optional() },
})

/** What new people of the organization start with changed. */
export const realmUserSettingsDefaultsUpdate = event({
  type: 'realm_user_settings_defaults',
  op: 'update',
  fields: { property: z.string(), value: SettingValue },
})

/** The caller has seen something that clients explain once; what is left to explain. */
export const onboardingSteps = event({
  type: 'onboarding_steps',
  fields: { onboarding_steps: z.array(OnboardingStep) },
})
