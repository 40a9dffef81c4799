import { uploadLimitsSection as contract } from '@parley/contracts/uploads/sections'
import { type Deps, section } from '../room.ts'

const sizes = async ({ deps }: { deps: Deps }) => ({ max_file_upload_size_mib: deps.sizes.file })

export const uploadLimitsSection = section(contract, sizes, sizes)
