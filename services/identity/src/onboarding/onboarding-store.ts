import { type OnboardingStep, onboardingStepNames } from '@parley/contracts/identity/onboarding'
import type { Queries } from '../room.ts'

/** What clients have still to explain to an account. */
export const openSteps = async (sql: Queries, userId: number): Promise<OnboardingStep[]> => {
  const rows = await sql<{ name: string }[]>`SELECT name FROM seen_onboarding_steps WHERE user_id = ${userId}`
  const seen = new Set(rows.map(({ name }) => name))
  return onboardingStepNames
    .filter((name) => !seen.has(name))
    .map((name) => ({ type: 'one_time_notice' as const, name }))
}

/**
 * Until the end of the transaction no other step of the account is noted: the steps that are open are told all at once, so
 * the last that is told has to know of every note before it.
 *
 * @returns false when it was noted before.
 */
export const noteStep = async (sql: Queries, userId: number, name: string): Promise<boolean> => {
  await sql`SELECT FROM users WHERE id = ${userId} FOR NO KEY UPDATE`
  const noted = await sql`
    INSERT INTO seen_onboarding_steps (user_id, name) VALUES (${userId}, ${name}) ON CONFLICT DO NOTHING`
  return noted.count > 0
}
