import { limits } from '@parley/contracts'
import { endUser as contract } from '@parley/contracts/identity/user-administration'
import { codePoints } from '@parley/contracts/objects/values'
import { doubtAvatar } from '@parley/contracts/uploads/internals'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { deleteProfile, endAccount, publishDeparture } from './account-ending.ts'
import { actingUser } from './acting-user.ts'
import { demandOwnerForOwner, isOnlyOwner } from './owner-rules.ts'
import { activeBotsOf, userById } from './user-store.ts'

export const endUser = endpoint(contract, ({ caller, params, deps, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    await lockAccounts(sql, caller.realm.id)
    const actor = await actingUser(sql, caller, 'administrator')
    const user = await userById(sql, caller.realm.id, params.user_id)
    if (user === undefined || user.bot_type !== null) throw refuse('BAD_REQUEST', 'No such user')
    demandOwnerForOwner(actor, user.role)
    if (await isOnlyOwner(sql, user)) {
      throw refuse('CANNOT_DEACTIVATE_LAST_USER', 'Cannot deactivate the only organization owner.', {
        is_last_owner: true,
        entity: 'organization owner',
      })
    }
    const comment = params.deactivation_notification_comment?.trim()
    if (comment !== undefined && codePoints(comment) > limits.maxDeactivationCommentLength) {
      throw refuse('BAD_REQUEST', 'deactivation_notification_comment is too long.')
    }
    const bots = await activeBotsOf(sql, user.id)
    await endAccount(tx, user)
    // "actions are first applied to any bots controlled by the target user, and then to the target user"
    for (const id of [...bots, user.id]) {
      const ended = (await userById(sql, caller.realm.id, id))!
      publishDeparture(tx, ended, id === user.id ? comment : undefined, params.actions)
      if (params.actions?.delete_profile === true && !ended.is_deleted) {
        await deleteProfile(tx, deps.keys, ended, realmHost(deps.publicUrl, caller.realm.subdomain))
        const whose = { realm_id: caller.realm.id, user_id: id }
        if (ended.avatar_source === 'U') await deps.ask(doubtAvatar, whose)
      }
    }
    return {}
  }),
)
