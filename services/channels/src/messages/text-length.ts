/** Shortens to at most `limit` code points, the last three of them dots; shorter texts stay as they are. */
export const truncated = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const characters = [...text]
  return characters.length <= limit ? text : `${characters.slice(0, limit - 3).join('')}...`
}
