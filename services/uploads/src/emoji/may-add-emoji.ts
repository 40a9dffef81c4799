import { permissionsOfUser } from '@parley/contracts/identity/permission-questions'
import type { Ask } from '@parley/kit'

/** Whether the organization's settings let an account add custom emoji. */
export const mayAddEmoji = async (ask: Ask, realmId: number, userId: number): Promise<boolean> => {
  const { allowed } = await ask(permissionsOfUser, { realm_id: realmId, user_id: userId })
  return allowed.includes('can_add_custom_emoji_group')
}
