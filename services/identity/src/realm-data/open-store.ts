import { type BlobStore, type BlobStoreAddress, openBlobStore } from '@parley/blob'
import { engineWatch } from '@parley/kit/engine-watch'

/** Opens the object store with the first wish, and again with the next one after a failure. */
export const storeOnDemand = (address: BlobStoreAddress): (() => Promise<BlobStore>) => {
  let opened: Promise<BlobStore> | undefined
  return () => {
    opened ??= openBlobStore(address, engineWatch('object store')).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
}
