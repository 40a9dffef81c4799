import { prepareAvatar as contract } from '@parley/contracts/uploads/internals'
import { internal } from '../room.ts'
import { storeAvatar } from './avatar-pictures.ts'

export const prepareAvatar = internal(contract, ({ input, deps }) =>
  storeAvatar(deps, Buffer.from(input.bytes)),
)
