import { type KnownCaller, refuse } from '@parley/contracts'
import { type SystemBotName, systemBotIn, systemBots } from '@parley/contracts/identity/system-bots'
import type { UserFact } from '@parley/contracts/identity/topics'
import { demandSender } from '../messages/send-text.ts'
import type { Deps } from '../room.ts'
import { realmUrl } from './realm-url.ts'

/** An account that something is done for without a request of it. */
export interface Acting {
  readonly caller: KnownCaller
  readonly sender: UserFact
}

const acting = async (deps: Deps, sender: UserFact, client: string): Promise<Acting> => {
  const realm = await deps.realms.get(sender.realm_id)
  if (!realm.is_active) throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
  const url = realmUrl(deps.publicUrl, realm.subdomain)
  return {
    caller: {
      realm: { id: realm.id, subdomain: realm.subdomain, url },
      user: { id: sender.id, role: sender.role, bot_type: sender.bot_type },
      client,
    },
    sender,
  }
}

/** @throws ApiError when the account may do nothing any more. */
export const actingAccount = async (
  deps: Deps,
  realmId: number,
  userId: number,
  client: string,
): Promise<Acting> => {
  const sender = await demandSender(deps, realmId, userId)
  if (!sender.is_active) throw refuse('USER_DEACTIVATED', 'Account is deactivated')
  return acting(deps, sender, client)
}

/** @throws ApiError when the organization is not active. */
export const actingBot = (deps: Deps, realmId: number, name: SystemBotName): Promise<Acting> =>
  acting(deps, systemBotIn(realmId, systemBots[name].id)!, 'Internal')
