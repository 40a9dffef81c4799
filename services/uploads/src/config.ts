import { engineSettings } from '@parley/kit'
import { z } from 'zod'

export const config = z.object({
  ...engineSettings.postgres,
  ...engineSettings.kafka,
  S3_ENDPOINT: z.url().describe('The object store, by the S3 protocol.'),
  S3_ACCESS_KEY: z.string().min(1).describe('Name of its key.'),
  S3_SECRET_KEY: z.string().min(1).describe('Its secret key.'),
  S3_REGION: z.string().default('us-east-1').describe('Its region.'),
  S3_BUCKET: z.string().min(1).describe('The bucket, which has to exist.'),
  MAX_FILE_UPLOAD_SIZE: z.coerce.number().int().positive().default(100).describe('Largest file, in MiB.'),
  UNCLAIMED_FILE_DAYS: z.coerce
    .number()
    .int()
    .positive()
    .default(35)
    .describe('For how many days a file is kept to which nothing refers.'),
})
