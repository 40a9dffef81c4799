import { openBlobStore } from '@parley/blob'
import { limits } from '@parley/contracts'
import { uploads } from '@parley/contracts/uploads/index'
import { defineService } from '@parley/kit'
import { followRealmEnds, purgeOf } from '@parley/kit/follow-realm-ends'
import { holdData } from '@parley/kit/hold-data'
import { deleteOwnAvatar } from './avatars/delete-own-avatar.ts'
import { getAvatar, getMediumAvatar } from './avatars/get-avatar.ts'
import { setOwnAvatar } from './avatars/set-own-avatar.ts'
import { collectingFiles } from './claims/collect-files.ts'
import { detachedFiles } from './claims/detached-files.ts'
import { onMessageSent } from './claims/on-message-sent.ts'
import { config } from './config.ts'
import { onRealmChanged } from './directory/on-realm-changed.ts'
import { realmDirectory } from './directory/realm-directory.ts'
import { addRealmEmoji } from './emoji/add-realm-emoji.ts'
import { deactivateRealmEmoji } from './emoji/deactivate-realm-emoji.ts'
import { findEmoji } from './emoji/find-emoji.ts'
import { listRealmEmoji } from './emoji/list-realm-emoji.ts'
import { realmEmojiSection } from './emoji/realm-emoji-section.ts'
import { listAttachments } from './files/list-attachments.ts'
import { removeAttachment } from './files/remove-attachment.ts'
import { uploadFile } from './files/upload-file.ts'
import { uploadLimitsSection } from './files/upload-limits-section.ts'
import { getPublicImage } from './images/get-public-image.ts'
import { openWorkshop } from './images/image-workshop.ts'
import { sweepingObjects } from './objects/sweep-objects.ts'
import { holdings } from './realm-data/holdings.ts'
import { takeInFile } from './realm-data/take-in-file.ts'
import type { Deps } from './room.ts'
import { getFile } from './serving/get-file.ts'
import { getFileUrl } from './serving/get-file-url.ts'
import { getTemporaryFile } from './serving/get-temporary-file.ts'
import { temporaryLinks } from './serving/temporary-links.ts'

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
    const workshop = openWorkshop()
    opening.own({ name: 'image workshop', ready: async () => {}, close: () => workshop.close() })
    return {
      log,
      database,
      bus,
      ask,
      store,
      realms: realmDirectory(ask),
      sizes: { file: config.MAX_FILE_UPLOAD_SIZE, avatar: limits.maxAvatarFileSizeMib },
      workshop,
      links: temporaryLinks(config.SIGNING_KEY),
      graceDays: config.UNCLAIMED_FILE_DAYS,
    }
  },
  start: async (deps) => [
    await onRealmChanged(deps),
    await onMessageSent(deps),
    sweepingObjects(deps),
    collectingFiles(deps),
    await followRealmEnds({ ...deps, name: 'uploads.ends', purge: purgeOf(holdings, deps) }),
  ],
  endpoints: {
    uploadFile,
    getFileUrl,
    getFile,
    getTemporaryFile,
    listAttachments,
    removeAttachment,
    setOwnAvatar,
    deleteOwnAvatar,
    getAvatar,
    getMediumAvatar,
    getPublicImage,
    listRealmEmoji,
    addRealmEmoji,
    deactivateRealmEmoji,
  },
  internals: { findEmoji, detachedFiles, ...holdData('uploads', holdings), takeInFile },
  sections: { uploadLimitsSection, realmEmojiSection },
})
