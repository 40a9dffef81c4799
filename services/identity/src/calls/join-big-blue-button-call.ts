import { joinBigBlueButtonCall as contract } from '@parley/contracts/identity/calls'
import { StreamedReply } from '@parley/kit'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'

/** A link works for everybody of the organization that it was made in, and for nobody else. */
export const joinBigBlueButtonCall = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const { bigBlueButton, database } = deps
  if (bigBlueButton === undefined) throw refuse('BAD_REQUEST', 'BigBlueButton is not configured.')
  const meeting = bigBlueButton.open(params.bigbluebutton)
  if (meeting.realm !== caller.realm.id) throw refuse('BAD_REQUEST', 'Invalid signature.')
  const user = (await userById(database.sql, caller.realm.id, caller.user.id))!
  const location = await bigBlueButton.enter(meeting, user)
  return new StreamedReply(302, { location, 'cache-control': 'no-store' }, null)
})
