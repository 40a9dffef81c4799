import { removeAlertWords as contract } from '@parley/contracts/identity/alert-words'
import { endpoint } from '../room.ts'
import { changeAlertWords } from './alert-word-change.ts'
import { cleanWords, withoutWords } from './alert-word-rules.ts'

export const removeAlertWords = endpoint(contract, ({ caller, params, transaction }) =>
  transaction((tx) =>
    changeAlertWords(tx, caller, (words) => withoutWords(words, cleanWords(params.alert_words))),
  ),
)
