/** A process of its own for work on images: what hangs, or takes too much memory, takes nobody with it. */
import sharp from 'sharp'
import type { ImageJob, ImageOutcome, PictureWish } from './image-job.ts'
import { imageKind } from './image-kinds.ts'

/** Pixels of one frame, and of all frames together. */
const maxPixels = 40_000_000
const maxFrames = 200

sharp.cache(false)
sharp.concurrency(1)

const drawn = async (image: Buffer, wish: PictureWish): Promise<Uint8Array> => {
  const opened = sharp(image, {
    pages: wish.animated ? -1 : 1,
    limitInputPixels: maxPixels,
    failOn: 'error',
  })
  // Turned as its EXIF data say; those are left out of what is written.
  const upright = wish.animated ? opened : opened.autoOrient()
  const { width, height, fit, format } = wish
  const resized = upright.resize(width, height, { fit, withoutEnlargement: fit === 'inside' })
  return await resized.toFormat(format).toBuffer()
}

const outcomeOf = async ({ id, image, wishes }: ImageJob): Promise<ImageOutcome> => {
  if (imageKind(image) === undefined) return { id, finding: 'kind' }
  try {
    const {
      pages = 1,
      width,
      pageHeight,
      height,
      orientation = 1,
    } = await sharp(image, { limitInputPixels: maxPixels }).metadata()
    const frames = pages
    if (frames > maxFrames || frames * width * (pageHeight ?? height) > maxPixels)
      return { id, finding: 'size' }
    const pictures: Uint8Array[] = []
    for (const wish of wishes)
      pictures.push(await drawn(image, { ...wish, animated: wish.animated && frames > 1 }))
    // EXIF orientations from 5 on lie on their side.
    const upright = { width, height: pageHeight ?? height }
    const seen = orientation < 5 ? upright : { width: upright.height, height: upright.width }
    return { id, facts: { frames, ...seen }, pictures }
  } catch (error) {
    return { id, finding: (error as Error).message }
  }
}

process.on('message', (job: ImageJob) => {
  void outcomeOf({ ...job, image: Buffer.from(job.image) }).then((outcome) => process.send?.(outcome))
})
// Whoever started it is gone.
process.on('disconnect', () => process.exit(0))
