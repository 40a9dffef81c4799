import { z } from 'zod'

/** What turns `#12` into a link. */
export const Linkifier = z.strictObject({
  id: z.int(),
  /** In the syntax of RE2, with groups named by `(?P<name>...)`. */
  pattern: z.string(),
  /** RFC 6570, over the names of the pattern's groups. */
  url_template: z.string(),
  example_input: z.string().nullable(),
  /** Makes the short form of a URL: `{name}` stands for what the group of this name covers. */
  reverse_template: z.string().nullable(),
  /** Other URLs that have the same short form. */
  alternative_url_templates: z.array(z.string()),
})
export type Linkifier = z.infer<typeof Linkifier>

/** Where code of one language can be tried out. */
export const Playground = z.strictObject({
  id: z.int(),
  name: z.string(),
  pygments_language: z.string(),
  /** RFC 6570, over `code`. */
  url_template: z.string(),
})
export type Playground = z.infer<typeof Playground>
