const link = /\b(?:href|src|data-original-src)="\/user_uploads\/(\d+\/[^"?#]+)/g

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path.replaceAll('&amp;', '&'))
  } catch {
    return path
  }
}

/** Files of an organization that a rendered message links to or shows: their `path_id`s, once each. */
export const filesNamedIn = (html: string, realmId: number): string[] => {
  const paths = Array.from(html.matchAll(link), (match) => decoded(match[1]!))
  return [...new Set(paths)].filter(
    // A NUL is in no place, and Postgres takes none.
    (path) => path.startsWith(`${realmId}/`) && !path.includes('\0'),
  )
}
