import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
})

/**
 * How many guesses somebody needs who knows how people choose passwords, and these words about the person. The time grows
 * faster than the length: to be asked of bounded passwords only.
 */
export const guessesNeeded = (password: string, personal: readonly string[]): number =>
  estimator.check(password, [...personal]).guesses
