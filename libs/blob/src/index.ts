export { type BlobFacts, type BlobStore, type BlobStoreAddress, openBlobStore } from './blob-store.ts'
export { createBucket } from './bucket.ts'
