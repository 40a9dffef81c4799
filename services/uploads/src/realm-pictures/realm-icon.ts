import { limits } from '@parley/contracts'
import {
  deleteRealmIcon as deleteContract,
  getRealmIcon as getContract,
  setRealmIcon as setContract,
} from '@parley/contracts/uploads/realm-pictures'
import { sentImage } from '../images/sent-image.ts'
import { endpoint } from '../room.ts'
import { putPicture, takePicture } from './change-picture.ts'
import { leadTo } from './lead-to.ts'

export const setRealmIcon = endpoint(setContract, async ({ caller, deps, request }) => {
  const image = await sentImage(request, {
    mebibytes: limits.maxIconFileSizeMib,
    finding: 'You must upload exactly one icon.',
  })
  return { icon_url: await putPicture(deps, caller.realm.id, 'icon', image) }
})

export const deleteRealmIcon = endpoint(deleteContract, async ({ caller, deps }) => ({
  icon_url: await takePicture(deps, caller.realm.id, 'icon'),
}))

export const getRealmIcon = endpoint(getContract, ({ caller, deps }) => leadTo(deps, caller.realm.id, 'icon'))
