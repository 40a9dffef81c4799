import { z } from 'zod'
import { event } from '../event.ts'
import { User } from '../objects/user.ts'

/** An account was created, or became accessible. */
export const realmUserAdd = event({ type: 'realm_user', op: 'add', fields: { person: User } })

/** One aspect of an account changed; `person` holds `user_id` and one of the requirement's forms. */
export const realmUserUpdate = event({
  type: 'realm_user',
  op: 'update',
  fields: {
    person: z.union([
      z.strictObject({ user_id: z.int(), is_active: z.boolean() }),
      z.strictObject({ user_id: z.int(), date_joined: z.string() }),
    ]),
  },
})
