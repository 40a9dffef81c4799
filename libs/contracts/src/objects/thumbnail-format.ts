import { z } from 'zod'

/** A form in which uploaded pictures are had: the last part of an address below `/user_uploads/thumbnail/`. */
export const ThumbnailFormat = z.strictObject({
  name: z.string(),
  /** Pixels; pictures are made smaller until they fit, never larger. */
  max_width: z.int(),
  max_height: z.int(),
  format: z.string(),
  animated: z.boolean(),
})
export type ThumbnailFormat = z.infer<typeof ThumbnailFormat>

const format = (max_width: number, max_height: number, animated: boolean): ThumbnailFormat => ({
  name: `${max_width}x${max_height}${animated ? '-anim' : ''}.webp`,
  max_width,
  max_height,
  format: 'webp',
  animated,
})

/** Every form that there is. */
export const thumbnailFormats: readonly ThumbnailFormat[] = [
  format(840, 560, false),
  format(840, 560, true),
  format(300, 200, false),
  format(1680, 1120, false),
]

/** What messages show. */
export const messageFormats = { still: thumbnailFormats[0]!, animated: thumbnailFormats[1]! } as const
