/**
 * Headers of every answer. No shared cache may keep anything, for one address answers each caller differently;
 * browsers must not guess types, frame pages or send the address of a page elsewhere.
 */
export const commonHeaders = (publicUrl: string): readonly string[] => [
  'x-content-type-options',
  'nosniff',
  'x-frame-options',
  'DENY',
  'referrer-policy',
  'same-origin',
  'cache-control',
  'private, no-store',
  ...(publicUrl.startsWith('https://')
    ? ['strict-transport-security', 'max-age=31536000; includeSubDomains']
    : []),
]

/** Common headers that the answer itself may say better. */
const replaceable = new Set(['cache-control', 'x-frame-options', 'referrer-policy'])

/** Common headers (a flat list) without those that the answer brings itself. */
export const withoutReplaced = (headers: readonly string[], brings: (name: string) => boolean): string[] => {
  const left: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    if (!replaceable.has(name) || !brings(name)) left.push(name, headers[at + 1]!)
  }
  return left
}
