/** Longest name of a client, as messages show it. */
const maxLength = 30

/** What a client is called that says nothing of itself. */
const unspecified = 'Unspecified'

/**
 * The client's name for itself: the part of its User-Agent before the first `/` (conventions.md, "Requests").
 * Every browser says `Mozilla`; what runs in one is the website.
 */
export const clientName = (userAgent: string | undefined): string => {
  if (userAgent === undefined) return unspecified
  const end = userAgent.search(/[/\s(]/)
  // What is not plain text would travel badly in tokens and logs.
  const name = (end === -1 ? userAgent : userAgent.slice(0, end))
    .replace(/[^\x21-\x7e]/g, '')
    .slice(0, maxLength)
  if (name === '') return unspecified
  return name === 'Mozilla' ? 'website' : name
}
