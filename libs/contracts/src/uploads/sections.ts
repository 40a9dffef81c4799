import { z } from 'zod'
import { section } from '../section.ts'

/** How large files may be. Clients look for it beside the settings. */
export const uploadLimitsSection = section({
  service: 'uploads',
  name: 'realm',
  fields: { max_file_upload_size_mib: z.int() },
  covers: [],
})
