import { uploadLimitsSection as contract } from '@parley/contracts/uploads/sections'
import { section } from '../room.ts'

export const uploadLimitsSection = section(contract, async ({ deps }) => ({
  max_file_upload_size_mib: deps.sizes.file,
}))
