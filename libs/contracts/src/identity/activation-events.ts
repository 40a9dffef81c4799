import { realmUpdateDict, realmUserUpdate } from './events.ts'
import { userGroupAddMembers, userGroupRemoveMembers, userGroupUpdate } from './group-events.ts'

/** What the end of an account, or its return, is told by: its own event, and those of what holds or names it (level 303). */
export const activationEvents = [
  realmUserUpdate,
  realmUpdateDict,
  userGroupUpdate,
  userGroupAddMembers,
  userGroupRemoveMembers,
] as const
