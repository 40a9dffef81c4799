/** Seconds for which an author may change the content: the default of `message_content_edit_limit_seconds`. */
const contentEditSeconds = 600

/** Why somebody may not change a message's content, as a sentence; undefined when nothing speaks against it. */
export const contentEditFinding = (
  message: { readonly sender_id: number; readonly sent_at: number },
  editorId: number,
  now: number,
): string | undefined => {
  if (message.sender_id !== editorId) return "You don't have permission to edit this message"
  if (now - message.sent_at > contentEditSeconds) return 'The time limit for editing this message has passed'
  return undefined
}
