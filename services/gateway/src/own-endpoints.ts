import type { AnyEndpoint } from '@parley/contracts'
import type { gateway } from '@parley/contracts/gateway/index'
import { getChangelog } from './docs/get-changelog.ts'
import { getEmojiNames } from './docs/get-emoji-names.ts'
import { getExtraEmojiPicture } from './docs/get-extra-emoji-picture.ts'
import { getLoadingPicture } from './docs/get-loading-picture.ts'
import type { OwnHandler } from './own-endpoint.ts'
import { getCompatibility } from './probes/get-compatibility.ts'
import { getGenerate204 } from './probes/get-generate-204.ts'
import { endOtherSessions } from './sessions/end-other-sessions.ts'
import { endSession } from './sessions/end-session.ts'
import { listSessions } from './sessions/list-sessions.ts'
import { logIn } from './sessions/log-in.ts'
import { logOut } from './sessions/log-out.ts'

type Endpoints = (typeof gateway)['endpoints']

/** What the gateway answers itself: all of its contract, or this does not compile. */
const handlers: { readonly [K in keyof Endpoints]: OwnHandler<Endpoints[K]> } = {
  logIn,
  logOut,
  listSessions,
  endSession,
  endOtherSessions,
  getChangelog,
  getEmojiNames,
  getLoadingPicture,
  getExtraEmojiPicture,
  getGenerate204,
  getCompatibility,
}

export const ownHandlers: ReadonlyMap<string, OwnHandler<AnyEndpoint>> = new Map(
  Object.entries(handlers) as [string, OwnHandler<AnyEndpoint>][],
)
