import { openBlobStore } from '@parley/blob'
import { uploads } from '@parley/contracts/uploads/index'
import { defineService } from '@parley/kit'
import { config } from './config.ts'
import { onRealmChanged } from './directory/on-realm-changed.ts'
import { realmDirectory } from './directory/realm-directory.ts'
import { listAttachments } from './files/list-attachments.ts'
import { removeAttachment } from './files/remove-attachment.ts'
import { uploadFile } from './files/upload-file.ts'
import { uploadLimitsSection } from './files/upload-limits-section.ts'
import { sweepingObjects } from './objects/sweep-objects.ts'
import type { Deps } from './room.ts'

export const service = defineService({
  contract: uploads,
  config,
  open: async (opening): Promise<Deps> => {
    const { ask, log, config } = opening
    const database = await opening.database()
    // Without Kafka announcements wait in the outbox; files are taken and given all the same.
    const bus = await opening.bus({ needed: false })
    await opening.relay({ database, bus })
    const store = await openBlobStore({
      endpoint: config.S3_ENDPOINT,
      accessKey: config.S3_ACCESS_KEY,
      secretKey: config.S3_SECRET_KEY,
      region: config.S3_REGION,
      bucket: config.S3_BUCKET,
    })
    return {
      log,
      database,
      bus,
      ask,
      store,
      realms: realmDirectory(ask),
      sizes: { file: config.MAX_FILE_UPLOAD_SIZE },
    }
  },
  start: async (deps) => [await onRealmChanged(deps), sweepingObjects(deps)],
  endpoints: { uploadFile, listAttachments, removeAttachment },
  internals: {},
  sections: { uploadLimitsSection },
})
