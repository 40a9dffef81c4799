import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { onboardingSteps } from './personal-events.ts'

export const markOnboardingStep = endpoint({
  method: 'POST',
  path: '/users/me/onboarding_steps',
  service: 'identity',
  summary: 'Note that the caller has seen what clients explain once.',
  access: 'authenticated',
  params: { onboarding_step: z.string() },
  reply: {},
  emits: [onboardingSteps],
})
