import { z } from 'zod'
import { internal } from '../internal.ts'

/** Pictures that stand for an organization. */
const RealmPicture = z.enum(['icon', 'logo', 'night_logo'])
export type RealmPicture = z.infer<typeof RealmPicture>

const which = { realm_id: z.int(), picture: RealmPicture }

/**
 * An organization has another picture: one that was uploaded, or the usual one. Clients are told of its new address. Not
 * having uploaded one is no change where there is none.
 */
export const changeRealmPicture = internal({
  service: 'identity',
  name: 'change-realm-picture',
  callers: ['uploads'],
  input: z.object({ ...which, is_uploaded: z.boolean() }),
  output: z.object({ url: z.string() }),
  errors: ['BAD_REQUEST'],
})

/** Where an organization's picture is: absolute, or a path below its URL; null when there is no such organization. */
export const realmPictureAddress = internal({
  service: 'identity',
  name: 'realm-picture-address',
  callers: ['uploads'],
  input: z.object(which),
  output: z.object({ url: z.string().nullable() }),
})
