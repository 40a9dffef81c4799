/** How one picture is to be made of an image. Pixels. */
export interface PictureWish {
  readonly width: number
  readonly height: number
  /** `cover`: cut to the shape; `inside`: made smaller until it fits, never larger. */
  readonly fit: 'cover' | 'inside'
  readonly format: 'png' | 'webp' | 'gif'
  /** Whether an image that moves stays so; else its first frame is taken. */
  readonly animated: boolean
}

export interface ImageJob {
  readonly id: number
  readonly image: Buffer
  readonly wishes: readonly PictureWish[]
}

export interface ImageFacts {
  /** Frames; 1 for what does not move. */
  readonly frames: number
  /** Pixels of one frame, as it is to be seen. */
  readonly width: number
  readonly height: number
}

export type ImageOutcome =
  | { readonly id: number; readonly facts: ImageFacts; readonly pictures: readonly Uint8Array[] }
  /** No image of a kind that is taken, or too large a one. */
  | { readonly id: number; readonly finding: string }
