import { openBlobStore } from '@parley/blob'
import { limits } from '@parley/contracts'
import { uploads } from '@parley/contracts/uploads/index'
import { defineService } from '@parley/kit'
import { engineWatch } from '@parley/kit/engine-watch'
import { followRealmEnds, purgeOf } from '@parley/kit/follow-realm-ends'
import { holdData } from '@parley/kit/hold-data'
import { deleteOwnAvatar } from './avatars/delete-own-avatar.ts'
import { doubtAvatar } from './avatars/doubt-avatar.ts'
import { getAvatar, getMediumAvatar } from './avatars/get-avatar.ts'
import { prepareAvatar } from './avatars/prepare-avatar.ts'
import { setOwnAvatar } from './avatars/set-own-avatar.ts'
import { showAvatar } from './avatars/show-avatar.ts'
import { claimFiles } from './claims/claim-files.ts'
import { collectingFiles } from './claims/collect-files.ts'
import { detachedFiles } from './claims/detached-files.ts'
import { onMessageChanged, onMessageSent } from './claims/on-message-facts.ts'
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
import { settlingPictures } from './images/settle-pictures.ts'
import { sweepingObjects } from './objects/sweep-objects.ts'
import { holdings } from './realm-data/holdings.ts'
import { takeInFile } from './realm-data/take-in-file.ts'
import { deleteRealmIcon, getRealmIcon, setRealmIcon } from './realm-pictures/realm-icon.ts'
import { deleteRealmLogo, getRealmLogo, setRealmLogo } from './realm-pictures/realm-logo.ts'
import { continueUpload } from './resumable/continue-upload.ts'
import { createUpload } from './resumable/create-upload.ts'
import { describeUpload, describeUploads } from './resumable/describe-uploads.ts'
import { expiringUploads } from './resumable/expire-uploads.ts'
import { getUploadOffset } from './resumable/get-upload-offset.ts'
import { overrideUploadMethod } from './resumable/override-upload-method.ts'
import { terminateUpload } from './resumable/terminate-upload.ts'
import type { Deps } from './room.ts'
import { getFile } from './serving/get-file.ts'
import { getFileUrl } from './serving/get-file-url.ts'
import { getTemporaryFile } from './serving/get-temporary-file.ts'
import { temporaryLinks } from './serving/temporary-links.ts'
import { fileInfos } from './thumbnails/file-infos.ts'
import { getThumbnail } from './thumbnails/get-thumbnail.ts'
import { getThumbnailStatus } from './thumbnails/get-thumbnail-status.ts'

export const service = defineService({
  contract: uploads,
  config,
  open: async (opening): Promise<Deps> => {
    const { ask, log, config } = opening
    const database = await opening.database()
    // Without Kafka announcements wait in the outbox; files are taken and given all the same.
    const bus = await opening.bus({ needed: false })
    await opening.relay({ database, bus })
    const address = {
      endpoint: config.S3_ENDPOINT,
      accessKey: config.S3_ACCESS_KEY,
      secretKey: config.S3_SECRET_KEY,
      region: config.S3_REGION,
      bucket: config.S3_BUCKET,
    }
    const store = await openBlobStore(address, engineWatch('object store'))
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
    await onMessageChanged(deps),
    sweepingObjects(deps),
    collectingFiles(deps),
    settlingPictures(deps),
    await followRealmEnds({ ...deps, name: 'uploads.ends', purge: purgeOf(holdings, deps) }),
    expiringUploads(deps),
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
    describeUploads,
    describeUpload,
    createUpload,
    getUploadOffset,
    continueUpload,
    terminateUpload,
    overrideUploadMethod,
    getThumbnail,
    getThumbnailStatus,
    setRealmIcon,
    deleteRealmIcon,
    getRealmIcon,
    setRealmLogo,
    deleteRealmLogo,
    getRealmLogo,
  },
  internals: {
    prepareAvatar,
    showAvatar,
    doubtAvatar,
    findEmoji,
    fileInfos,
    claimFiles,
    detachedFiles,
    ...holdData('uploads', holdings),
    takeInFile,
  },
  sections: { uploadLimitsSection, realmEmojiSection },
})
