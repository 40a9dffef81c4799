import { type RealmPicture, realmPictureAddress } from '@parley/contracts/identity/realm-pictures'
import { StreamedReply } from '@parley/kit'
import type { Deps } from '../room.ts'
import { fileNotFound } from '../serving/file-reply.ts'

/** Leads to a picture of an organization. */
export const leadTo = async (deps: Deps, realm_id: number, picture: RealmPicture): Promise<StreamedReply> => {
  const { url } = await deps.ask(realmPictureAddress, { realm_id, picture })
  if (url === null) throw fileNotFound()
  return new StreamedReply(302, { location: url, 'cache-control': 'private, max-age=60' }, null)
}
