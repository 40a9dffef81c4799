/** How what system bots say names people and channels; no I/O. */

interface Named {
  readonly id: number
  readonly full_name: string
}

/** Names somebody without telling them. */
export const silentMention = (user: Named): string => `@_**${user.full_name}|${user.id}**`

/** A link, where a text may have one: private channels are never linked, nor is a name that would end the link. */
export const channelNamed = (channel: { readonly name: string; readonly invite_only: boolean }): string =>
  channel.invite_only || channel.name.includes('*') ? `**${plain(channel.name)}**` : `#**${channel.name}**`

/** Names of organizations and folders may hold anything: nothing in them is markup. */
export const plain = (name: string): string => name.replace(/[`*_~[\]()<>#@|$\\:]/g, ' ').trim()

/** A text of several lines or none, as a block; `none` where it is empty. */
export const quoted = (text: string, none: string): string =>
  text === '' ? `*${none}*` : `\`\`\`\`\`\` quote\n${text}\n\`\`\`\`\`\``
