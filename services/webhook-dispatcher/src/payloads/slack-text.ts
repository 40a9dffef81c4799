/**
 * Slack's way of writing what would else be markup ("Formatting text for app surfaces"): links as `<url|label>`, and the
 * three characters that this takes as entities. Bold and the like mean much the same in both, and are left alone.
 */
const link = /<((?:https?:\/\/|mailto:)[^<>|\s]+)(?:\|([^<>\n]*))?>/g

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

const plain = (text: string): string => text.replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity]!)

const escaped: Readonly<Record<string, string>> = { '(': '%28', ')': '%29' }

/** A text that was written for Slack, as a message. */
export const fromSlack = (text: string): string =>
  plain(
    text.replace(link, (_, url: string, label = '') => {
      const address = url.replace(/^mailto:/, '')
      if (['', url, address].includes(label)) return address
      return `[${label.replace(/[[\]]/g, '')}](${url.replace(/[()]/g, (sign) => escaped[sign]!)})`
    }),
  )
