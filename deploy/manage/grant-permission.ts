import { grantUserPermission } from '@parley/contracts/identity/internals'
import { UserPermission } from '@parley/contracts/objects/user'
import { type Command, required, UsageError } from './command.ts'

const permissionOf = (name: string): UserPermission => {
  const permission = UserPermission.safeParse(name)
  if (!permission.success) throw new UsageError(`--permission is one of ${UserPermission.options.join(', ')}`)
  return permission.data
}

/** Gives an account a permission that no role or group has; takes it back with `--granted no`. */
export const grantPermissionCommand: Command = {
  name: 'grant-permission',
  usage: `--realm S --email E --permission ${UserPermission.options.join('|')} [--granted yes|no]`,
  options: ['realm', 'email', 'permission', 'granted'],
  run: (ask, values) =>
    ask(grantUserPermission, {
      realm: required(values, 'realm'),
      email: required(values, 'email'),
      permission: permissionOf(required(values, 'permission')),
      is_granted: values.granted !== 'no',
    }),
}
