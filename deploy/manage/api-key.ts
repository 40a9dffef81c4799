import { showApiKey } from '@parley/contracts/identity/internals'
import { type Command, required } from './command.ts'

export const apiKeyCommand: Command = {
  name: 'api-key',
  usage: '--realm S --email E',
  options: ['realm', 'email'],
  run: (ask, values) =>
    ask(showApiKey, { realm: required(values, 'realm'), email: required(values, 'email') }),
}
