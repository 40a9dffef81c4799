import { randomBytes } from 'node:crypto'
import { addRealmEmoji as contract } from '@parley/contracts/uploads/emoji'
import { keepPictures, type NewPicture, showPictures } from '../images/public-image-store.ts'
import { sentImage } from '../images/sent-image.ts'
import { discardObject } from '../objects/keep-object.ts'
import { type Deps, endpoint } from '../room.ts'
import { announceEmoji, tellEmoji } from './announce-emoji.ts'
import { demandEmojiName, emojiKey, emojiPixels } from './emoji-rules.ts'
import { emojiPath, insertEmoji } from './emoji-store.ts'
import { mayAddEmoji } from './may-add-emoji.ts'

/** MiB (facts, section 7). */
const maxEmojiSize = 5

const pixels = { width: emojiPixels, height: emojiPixels, fit: 'cover' } as const

/** What moves stays moving, as a GIF, and has its first frame beside it. */
const picturesOf = async (deps: Deps, realmId: number, image: Buffer) => {
  const { facts, pictures } = await deps.workshop.draw(image, [
    { ...pixels, format: 'png', animated: false },
    { ...pixels, format: 'gif', animated: true },
  ])
  const name = randomBytes(12).toString('base64url')
  const still = { file: `${name}.png`, picture: pictures[0]!, type: 'image/png' }
  if (facts.frames === 1) return { file: still.file, still_file: null, all: [placed(realmId, still)] }
  const moving = { file: `${name}.gif`, picture: pictures[1]!, type: 'image/gif' }
  const stillFrame = { ...still, file: `${name}-still.png` }
  const all = [placed(realmId, moving), placed(realmId, stillFrame)]
  return { file: moving.file, still_file: stillFrame.file, all }
}

const placed = (
  realmId: number,
  { file, picture, type }: { file: string; picture: Buffer; type: string },
): NewPicture => ({
  path: emojiPath(realmId, file),
  picture,
  type,
})

export const addRealmEmoji = endpoint(
  contract,
  async ({ caller, params, deps, request, transaction, refuse }) => {
    const realm_id = caller.realm.id
    const { user } = caller
    const name = emojiKey(params.emoji_name)
    if (!(await mayAddEmoji(deps.ask, realm_id, user.id)))
      throw refuse('BAD_REQUEST', 'Insufficient permission')
    demandEmojiName(name, user)
    const image = await sentImage(request, {
      mebibytes: maxEmojiSize,
      finding: 'You must upload exactly one file.',
    })
    const { file, still_file, all } = await picturesOf(deps, realm_id, image)
    const kept = await keepPictures(deps, all)
    try {
      const added = await transaction(async (tx) => {
        const emoji = await insertEmoji(tx.sql, { realm_id, name, author_id: user.id, file, still_file })
        if (emoji === undefined) throw refuse('BAD_REQUEST', 'A custom emoji with this name already exists.')
        await showPictures(tx.sql, kept)
        await announceEmoji(tx, realm_id, emoji, { emoji })
        return emoji
      })
      await tellEmoji(deps, realm_id, added)
    } catch (error) {
      for (const { object_key } of kept) await discardObject(deps, object_key)
      throw error
    }
    return {}
  },
)
