import { addAlertWords as contract } from '@parley/contracts/identity/alert-words'
import { endpoint } from '../room.ts'
import { changeAlertWords } from './alert-word-change.ts'
import { cleanWords, withWords } from './alert-word-rules.ts'

export const addAlertWords = endpoint(contract, ({ caller, params, transaction }) =>
  transaction((tx) =>
    changeAlertWords(tx, caller, (words) => withWords(words, cleanWords(params.alert_words))),
  ),
)
