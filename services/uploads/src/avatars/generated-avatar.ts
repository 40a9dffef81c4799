import { findUsers } from '@parley/contracts/identity/internals'
import type { Ask } from '@parley/kit'
import { avatarAt, avatarPixels } from './avatar-rules.ts'
import { identicon } from './identicon.ts'

/** The picture of an account that has uploaded none; undefined when the path names no account of the organization. */
export const generatedAvatar = async (
  { ask }: { ask: Ask },
  realmId: number,
  path: string,
): Promise<{ picture: Buffer; tag: string } | undefined> => {
  const avatar = avatarAt(path)
  if (avatar === undefined) return undefined
  const { users } = await ask(findUsers, { realm_id: realmId, ids: [avatar.userId], emails: [] })
  if (users.length === 0) return undefined
  const pixels = avatarPixels[avatar.size]
  const name = `${realmId}/${avatar.userId}`
  return { picture: identicon(name, pixels), tag: `generated-${avatar.userId}-${pixels}` }
}
