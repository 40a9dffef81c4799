import type { StoredAvatar } from '@parley/contracts/objects/avatar'
import { doubtPictures, type PublicImage, showPictures, storePictures } from '../images/public-image-store.ts'
import type { Deps, Queries } from '../room.ts'
import { type AvatarSize, avatarPath, avatarPixels } from './avatar-rules.ts'

const sizes = ['small', 'medium'] as const satisfies readonly AvatarSize[]

interface Whose {
  readonly realm_id: number
  readonly user_id: number
}

export const avatarPaths = ({ realm_id, user_id }: Whose): string[] =>
  sizes.map((size) => avatarPath(realm_id, user_id, size))

/**
 * Draws an image in the sizes of avatars and stores them; nothing refers to them yet.
 *
 * @throws ApiError BAD_IMAGE; EngineUnavailableError.
 */
export const storeAvatar = async (deps: Deps, image: Buffer): Promise<StoredAvatar> => {
  const wishes = sizes.map((size) => {
    const pixels = avatarPixels[size]
    return { width: pixels, height: pixels, fit: 'cover', format: 'png', animated: false } as const
  })
  const { pictures } = await deps.workshop.draw(image, wishes)
  const [small, medium] = await storePictures(
    deps,
    pictures.map((picture) => ({ picture, type: 'image/png' })),
  )
  return { small: small!, medium: medium! }
}

/**
 * Shows a stored picture as somebody's, and doubts it: identity, whose the account is, has still to take it in
 * (`settlePictures`).
 */
export const showStoredAvatar = async (sql: Queries, whose: Whose, stored: StoredAvatar): Promise<void> => {
  const images = sizes.map(
    (size): PublicImage => ({
      path: avatarPath(whose.realm_id, whose.user_id, size),
      object_key: stored[size],
      content_type: 'image/png',
    }),
  )
  // A transaction of identity that ran again after a deadlock made an account with another ID.
  await sql`DELETE FROM public_images WHERE object_key = ANY (${images.map((image) => image.object_key)}::text[])`
  await showPictures(sql, images)
  await doubtPictures(sql, avatarPaths(whose))
}
