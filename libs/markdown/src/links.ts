import type { StateInline } from 'markdown-it'
import type { RenderEnvironment } from './environment.ts'
import type { ChatInlineState } from './inline-state.ts'
import { uploadedMedia, uploadPreview } from './media.ts'
import { element, type Node, type SafeUrl } from './nodes.ts'
import { safeLink, uploadPath } from './urls.ts'

/** A link of the text; a link to an uploaded file also notes the file, and its preview if it has one. */
export function buildLink(target: SafeUrl, label: Node[], environment: RenderEnvironment): Node {
  noteLink(target, typeof label[0] === 'string' && label.length === 1 ? label[0] : undefined, environment)
  return element('a', { href: target }, label)
}

function noteLink(target: SafeUrl, label: string | undefined, environment: RenderEnvironment): void {
  environment.links.add(target)
  const path = uploadPath(target)
  if (path === undefined) return
  environment.uploads.add(path)
  uploadPreview(target, path, label, environment)
}

interface Written {
  labelStart: number
  labelEnd: number
  destination: string
  end: number
}

/** Reads `[label](destination "title")` from the opening bracket; the title has no place in a chat and is dropped. */
function readLink(state: ChatInlineState, open: number): Written | undefined {
  const close = state.closingBracket(open)
  if (close === undefined || close >= state.posMax || state.src[close + 1] !== '(') return undefined
  const { parseLinkDestination, parseLinkTitle } = state.md.helpers
  const start = skipSpace(state.src, close + 2, state.posMax)
  const destination = parseLinkDestination(state.src, start, state.posMax)
  if (!destination.ok) return undefined
  let end = skipSpace(state.src, destination.pos, state.posMax)
  if (end > destination.pos) {
    const title = parseLinkTitle(state.src, end, state.posMax)
    if (title.ok) end = skipSpace(state.src, title.pos, state.posMax)
  }
  if (end >= state.posMax || state.src[end] !== ')') return undefined
  return { labelStart: open + 1, labelEnd: close, destination: destination.str, end: end + 1 }
}

function skipSpace(text: string, from: number, limit: number): number {
  let position = from
  while (position < limit && (text[position] === ' ' || text[position] === '\n')) position++
  return position
}

/** `[label](destination)`. Links are not nested; a destination that is not safe leaves all of it text. */
export function linkRule(inline: StateInline): boolean {
  const state = inline as ChatInlineState
  if (state.src.charCodeAt(state.pos) !== 0x5b || state.linkLevel > 0) return false
  const written = readLink(state, state.pos)
  if (written === undefined) return false
  const target = safeLink(written.destination, state.environment.context)
  if (target === undefined) return false
  const { posMax } = state
  const label = state.src.slice(written.labelStart, written.labelEnd)
  noteLink(target, label.trim() || undefined, state.environment)
  state.push('link_open', 'a', 1).meta = { target }
  if (label.trim() === '') {
    state.push('text', '', 0).content = written.destination
  } else {
    state.pos = written.labelStart
    state.posMax = written.labelEnd
    state.linkLevel++
    state.md.inline.tokenize(state)
    state.linkLevel--
  }
  state.push('link_close', 'a', -1)
  state.pos = written.end
  state.posMax = posMax
  return true
}

/** `![text](file)`, only for uploaded files that can be shown (level 467); otherwise `!` and a link. */
export function imageRule(inline: StateInline): boolean {
  const state = inline as ChatInlineState
  if (state.src.charCodeAt(state.pos) !== 0x21 || state.src.charCodeAt(state.pos + 1) !== 0x5b) return false
  if (state.linkLevel > 0) return false
  const written = readLink(state, state.pos + 1)
  if (written === undefined) return false
  const { environment } = state
  const target = safeLink(written.destination, environment.context)
  const path = target === undefined ? undefined : uploadPath(target)
  if (target === undefined || path === undefined) return false
  const media = uploadedMedia(
    target,
    path,
    state.src.slice(written.labelStart, written.labelEnd),
    environment,
  )
  if (media === undefined) return false
  environment.uploads.add(path)
  state.pushNode(media)
  state.pos = written.end
  return true
}
