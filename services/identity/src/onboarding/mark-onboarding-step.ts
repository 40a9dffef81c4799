import { onboardingSteps } from '@parley/contracts/identity/events'
import { onboardingStepNames } from '@parley/contracts/identity/onboarding'
import { markOnboardingStep as contract } from '@parley/contracts/identity/onboarding-steps'
import { endpoint } from '../room.ts'
import { noteStep, openSteps } from './onboarding-store.ts'

export const markOnboardingStep = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const name = onboardingStepNames.find((known) => known === params.onboarding_step)
    if (name === undefined) {
      throw refuse('BAD_REQUEST', `Unknown onboarding_step: ${params.onboarding_step}`)
    }
    if (await noteStep(tx.sql, caller.user.id, name)) {
      const onboarding_steps = await openSteps(tx.sql, caller.user.id)
      tx.emit(onboardingSteps, { realm: caller.realm.id, users: [caller.user.id] }, { onboarding_steps })
    }
    return {}
  }),
)
