import { z } from 'zod'

/** A place in a client that its user keeps at hand. */
export const NavigationView = z.strictObject({
  /** What stands behind the `#` of its address. */
  fragment: z.string(),
  is_pinned: z.boolean(),
  /** Null for the built-in places, which have names of their own. */
  name: z.string().nullable(),
})
export type NavigationView = z.infer<typeof NavigationView>
