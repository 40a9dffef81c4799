import type { ClientShape } from '@parley/contracts'

/** One kind of client: all queues with the same shape share one object, and what is rendered for it. */
export interface Variant {
  readonly shape: ClientShape
}

const variants = new Map<string, Variant>()

/** The same object for the same shape; there are few of them. */
export const variantOf = (shape: ClientShape): Variant => {
  const key = JSON.stringify([
    shape.apply_markdown,
    shape.client_gravatar,
    shape.slim_presence,
    shape.include_subscribers !== false,
    Object.entries(shape.capabilities).sort(([left], [right]) => (left < right ? -1 : 1)),
  ])
  const known = variants.get(key)
  if (known !== undefined) return known
  const variant = { shape }
  variants.set(key, variant)
  return variant
}
