/** The organization's rules for changing what was sent, as they are in force. */
export interface EditRules {
  readonly allow_message_editing: boolean
  /** Null: for ever. */
  readonly message_content_edit_limit_seconds: number | null
}

/** Why somebody may not change a message's content, as a sentence; undefined when nothing speaks against it. */
export const contentEditFinding = (
  message: { readonly sender_id: number; readonly sent_at: number },
  editorId: number,
  { allow_message_editing, message_content_edit_limit_seconds: limit }: EditRules,
  now: number,
): string | undefined => {
  if (!allow_message_editing) return 'Your organization has turned off message editing'
  if (message.sender_id !== editorId) return "You don't have permission to edit this message"
  if (limit !== null && now - message.sent_at > limit)
    return 'The time limit for editing this message has passed'
  return undefined
}
