/** Message content to safe HTML: see README.md. */
export { compileAlertWords } from './alert-words.ts'
export type {
  AlertWords,
  CustomEmoji,
  LinkedChannel,
  Linkifier,
  LinkifierMatch,
  Matcher,
  MentionGroup,
  MentionUser,
  RenderContext,
  Rendered,
  UploadInfo,
  Wildcard,
} from './context.ts'
export { emojiApiDocument, emojiByName, namesByCode } from './emoji-table.ts'
export { compilePattern, type LinkifierPattern } from './linkifier-pattern.ts'
export { collectLookups, type Lookups } from './lookups.ts'
export { channelUrl, encodeFragment, topicUrl } from './narrow-urls.ts'
export { renderMessage } from './render.ts'
export { renderTopicLinks } from './topic-links.ts'
export { compileTemplate, type UrlTemplate } from './url-template.ts'
