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
