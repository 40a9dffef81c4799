import { type KnownCaller, type Role, type RoleName, roles } from '@parley/contracts'
import { createRealm } from './realms/create-realm.ts'
import type { TestRoom } from './test-room.ts'
import { createUser } from './users/create-user.ts'

export interface TestOrganization {
  readonly realm: KnownCaller['realm']
  /** One person of each role; their e-mails are `<role>@b.example`. */
  readonly people: Record<RoleName, KnownCaller>
  person(name: string, role?: RoleName): Promise<KnownCaller>
}

let made = 0

/** An organization of a test's own; what its making announced was taken away. */
export const openTestOrganization = async (room: TestRoom): Promise<TestOrganization> => {
  made += 1
  const { realm_id, subdomain, url } = await room.ask(createRealm, { subdomain: `o${made}`, name: 'Org' })
  const realm = { id: realm_id, subdomain, url }
  const person = async (name: string, roleName: RoleName = 'member'): Promise<KnownCaller> => {
    const role: Role = roles[roleName]
    const wishes = { realm: subdomain, email: `${name}@b.example`, full_name: name, role, password: null }
    const { user_id } = await room.ask(createUser, wishes)
    return { realm, user: { id: user_id, role, bot_type: null }, client: 'test' }
  }
  const people: Partial<Record<RoleName, KnownCaller>> = {}
  for (const name of Object.keys(roles) as RoleName[]) people[name] = await person(name, name)
  await room.announced()
  return { realm, people: people as Record<RoleName, KnownCaller>, person }
}
