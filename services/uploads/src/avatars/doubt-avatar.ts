import { doubtAvatar as contract } from '@parley/contracts/uploads/internals'
import { doubtPictures } from '../images/public-image-store.ts'
import { internal } from '../room.ts'
import { avatarPaths } from './avatar-pictures.ts'

export const doubtAvatar = internal(contract, async ({ input, transaction }) => {
  await transaction((tx) => doubtPictures(tx.sql, avatarPaths(input)))
  return {}
})
