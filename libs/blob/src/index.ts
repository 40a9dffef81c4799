export { type BlobFacts, type BlobStore, type BlobStoreAddress, openBlobStore } from './blob-store.ts'
export { createBucket } from './bucket.ts'
export type { StoredPart } from './multipart.ts'
export { PartBuffer, partSize } from './part-buffer.ts'
