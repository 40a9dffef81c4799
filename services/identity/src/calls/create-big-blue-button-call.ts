import { randomBytes } from 'node:crypto'
import { createBigBlueButtonCall as contract } from '@parley/contracts/identity/calls'
import { endpoint } from '../room.ts'

const idBytes = 16

export const createBigBlueButtonCall = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const { bigBlueButton } = deps
  if (bigBlueButton === undefined) throw refuse('BAD_REQUEST', 'BigBlueButton is not configured.')
  const meeting = {
    id: `parley-${randomBytes(idBytes).toString('hex')}`,
    name: params.meeting_name,
    realm: caller.realm.id,
    voice_only: params.voice_only,
    moderator: caller.user.id,
  }
  const query = new URLSearchParams({ bigbluebutton: bigBlueButton.sign(meeting) })
  return { url: `/calls/bigbluebutton/join?${query}` }
})
