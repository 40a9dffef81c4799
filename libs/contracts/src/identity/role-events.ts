import { realmBotAdd, realmBotDelete, realmUserAdd, realmUserRemove, realmUserUpdate } from './events.ts'
import { userGroupAddMembers, userGroupRemoveMembers } from './group-events.ts'

/** What a change of a role is told by: the account's, its system groups', and what it sees of bots now. */
export const roleEvents = [
  realmUserUpdate,
  realmUserAdd,
  realmUserRemove,
  realmBotAdd,
  realmBotDelete,
  userGroupAddMembers,
  userGroupRemoveMembers,
] as const
