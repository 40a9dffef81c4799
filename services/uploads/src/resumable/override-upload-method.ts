import { refuse } from '@parley/contracts'
import { overrideUploadMethod as contract } from '@parley/contracts/uploads/tus'
import { endpoint } from '../room.ts'
import { proceed } from './continue-upload.ts'
import { offset } from './get-upload-offset.ts'
import { methodOf } from './protocol-rules.ts'
import { terminate } from './terminate-upload.ts'
import { inProtocol } from './tus-exchange.ts'

/** For clients whose surroundings know GET and POST only. */
const methods = { PATCH: proceed, HEAD: offset, DELETE: terminate } as const

export const overrideUploadMethod = endpoint(contract, (scene) =>
  inProtocol(scene.request, () => {
    const method = methods[methodOf('POST', scene.request.headers) as keyof typeof methods]
    if (method === undefined)
      throw refuse('BAD_REQUEST', 'X-HTTP-Method-Override has to say PATCH, HEAD or DELETE.')
    return method(scene, scene.params.upload_id)
  }),
)
