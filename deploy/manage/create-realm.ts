import { createRealm } from '@parley/contracts/identity/internals'
import { type Command, required } from './command.ts'

export const createRealmCommand: Command = {
  name: 'create-realm',
  usage: '--subdomain S --name N [--demo-days N]',
  options: ['subdomain', 'name', 'demo-days'],
  run: (ask, values) =>
    ask(createRealm, {
      subdomain: required(values, 'subdomain'),
      name: required(values, 'name'),
      demo_days: values['demo-days'] === undefined ? null : Number(values['demo-days']),
    }),
}
