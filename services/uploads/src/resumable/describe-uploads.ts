import { describeUploads as contract, describeUpload as oneContract } from '@parley/contracts/uploads/tus'
import type { StreamedReply } from '@parley/kit'
import { type Deps, endpoint } from '../room.ts'
import { offer } from './protocol-rules.ts'
import { tusReply } from './tus-exchange.ts'

const mib = 1024 * 1024

/** "A successful response MUST contain the Tus-Version header"; the request needs no version. */
export const describeOffer = async ({ deps }: { deps: Deps }): Promise<StreamedReply> =>
  tusReply(204, offer(deps.sizes.file * mib))

export const describeUploads = endpoint(contract, describeOffer)

export const describeUpload = endpoint(oneContract, describeOffer)
