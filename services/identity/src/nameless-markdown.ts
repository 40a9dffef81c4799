import { renderMessage } from '@parley/markdown'

const none = () => undefined

/**
 * The HTML of what people write about themselves and their organization. It names nobody and links to nothing inside: who
 * reads it need not see what who wrote it sees.
 */
export const renderNameless = (text: string, realmUrl: string): string =>
  renderMessage(text, {
    realm: { url: realmUrl },
    users: { byName: () => [], byId: none },
    groups: { byName: none },
    channels: { byName: none },
    emoji: { byName: none },
    linkifiers: [],
    translateEmoticons: false,
  }).html
