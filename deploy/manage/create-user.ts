import { type RoleName, roles } from '@parley/contracts'
import { createUser } from '@parley/contracts/identity/internals'
import { type Command, required, UsageError } from './command.ts'

export const createUserCommand: Command = {
  name: 'create-user',
  usage: `--realm S --email E --full-name F [--role ${Object.keys(roles).join('|')}] [--password P]`,
  options: ['realm', 'email', 'full-name', 'role', 'password'],
  run: (ask, values) =>
    ask(createUser, {
      realm: required(values, 'realm'),
      email: required(values, 'email'),
      full_name: required(values, 'full-name'),
      role: roleNamed(values.role ?? 'member'),
      password: values.password ?? null,
    }),
}

function roleNamed(name: string) {
  if (!Object.hasOwn(roles, name)) {
    throw new UsageError(`--role ${name}: it is one of ${Object.keys(roles).join(', ')}`)
  }
  return roles[name as RoleName]
}
