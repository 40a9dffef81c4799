import { z } from 'zod'

/** What clients explain to a person once. */
export const onboardingStepNames = [
  'visibility_policy_banner',
  'intro_inbox_view_modal',
  'intro_recent_view_modal',
  'first_stream_created_banner',
  'jump_to_conversation_banner',
  'non_interleaved_view_messages_fading',
  'interleaved_view_messages_fading',
  'intro_resolve_topic',
] as const

export const OnboardingStep = z.strictObject({
  type: z.literal('one_time_notice'),
  name: z.enum(onboardingStepNames),
})
export type OnboardingStep = z.infer<typeof OnboardingStep>
