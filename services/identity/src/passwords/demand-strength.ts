import { limits, refuse } from '@parley/contracts'
import { guessesNeeded } from './strength.ts'

/** `personal`: words about the person. @throws ApiError BAD_REQUEST for a password that is soon guessed. */
export const demandStrength = (password: string, personal: readonly string[]): void => {
  if (guessesNeeded(password, personal) < limits.minPasswordGuesses) {
    throw refuse('BAD_REQUEST', 'The password is too easy to guess.')
  }
}
