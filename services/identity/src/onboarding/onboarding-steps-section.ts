import { onboardingStepsSection as contract } from '@parley/contracts/identity/sections'
import { section } from '../room.ts'
import { openSteps } from './onboarding-store.ts'

export const onboardingStepsSection = section(
  contract,
  async ({ caller, sql }) => ({
    onboarding_steps: await openSteps(sql, caller.user.id),
    navigation_tour_video_url: null,
  }),
  async () => ({ onboarding_steps: [], navigation_tour_video_url: null }),
)
