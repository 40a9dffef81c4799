/**
 * The addresses that somebody typed or pasted, each once: separated by commas, semicolons or line breaks, each alone or as
 * mail programs write it, `Ada <ada@example.org>`.
 */
export const inviteeAddresses = (text: string): string[] => {
  const found = new Map<string, string>()
  for (const part of text.split(/[,;\n\r]+/)) {
    const address = (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim()
    if (address !== '' && !found.has(address.toLowerCase())) found.set(address.toLowerCase(), address)
  }
  return [...found.values()]
}
