import { createRealm } from '@parley/contracts/identity/internals'
import { type Command, required } from './command.ts'

export const createRealmCommand: Command = {
  name: 'create-realm',
  usage: '--subdomain S --name N',
  options: ['subdomain', 'name'],
  run: (ask, values) =>
    ask(createRealm, { subdomain: required(values, 'subdomain'), name: required(values, 'name') }),
}
