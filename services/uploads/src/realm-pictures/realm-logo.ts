import { limits } from '@parley/contracts'
import {
  deleteRealmLogo as deleteContract,
  getRealmLogo as getContract,
  setRealmLogo as setContract,
} from '@parley/contracts/uploads/realm-pictures'
import { sentImage } from '../images/sent-image.ts'
import { endpoint } from '../room.ts'
import { putPicture, takePicture } from './change-picture.ts'
import { leadTo } from './lead-to.ts'
import { logoAt } from './realm-picture-rules.ts'

export const setRealmLogo = endpoint(setContract, async ({ caller, deps, params, request, refuse }) => {
  let { night } = params
  const image = await sentImage(request, {
    mebibytes: limits.maxLogoFileSizeMib,
    finding: 'You must upload exactly one logo.',
    onField: (name, value) => {
      if (name !== 'night') return
      const said = value.toLowerCase()
      if (said !== 'true' && said !== 'false') throw refuse('BAD_REQUEST', 'night is not a boolean')
      night = said === 'true'
    },
  })
  await putPicture(deps, caller.realm.id, logoAt(night), image)
  return {}
})

export const deleteRealmLogo = endpoint(deleteContract, async ({ caller, deps, params }) => {
  await takePicture(deps, caller.realm.id, logoAt(params.night))
  return {}
})

export const getRealmLogo = endpoint(getContract, ({ caller, deps, params }) =>
  leadTo(deps, caller.realm.id, logoAt(params.night)),
)
