/** What widgets are, and what may be done with them; no I/O. */
import { refuse } from '@parley/contracts'
import { z } from 'zod'

interface Widget {
  readonly widget_type: 'poll' | 'todo' | 'zform'
  readonly extra_data: unknown
}

const text = z.string()
const key = z.union([z.string(), z.int()])
const byType = {
  poll: z.discriminatedUnion('type', [
    z.object({ type: z.literal('vote'), key: z.string(), vote: z.literal([1, -1]) }),
    z.object({ type: z.literal('question'), question: text }),
    z.object({ type: z.literal('new_option'), option: text, idx: z.int().min(0).max(1000) }),
  ]),
  todo: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('new_task'),
      key: z.int().min(0).max(1000),
      task: text,
      desc: text,
      completed: z.boolean(),
    }),
    z.object({ type: z.literal('strike'), key }),
    z.object({ type: z.literal('new_task_list_title'), title: text }),
  ]),
} as const

/**
 * Holds what may be done with a widget. Only whoever sent it may rename it.
 *
 * @throws ApiError BAD_REQUEST.
 */
export const demandUse = (
  widget: { readonly content: string } | undefined,
  use: { readonly msg_type: string; readonly content: string; readonly isOwner: boolean },
): void => {
  if (widget === undefined && !use.isOwner) {
    throw refuse('BAD_REQUEST', 'You cannot attach a submessage to this message.')
  }
  let data: unknown
  try {
    data = JSON.parse(use.content)
  } catch {
    throw refuse('BAD_REQUEST', 'Invalid json for submessage')
  }
  if (use.msg_type !== 'widget') throw refuse('BAD_REQUEST', 'Invalid msg_type for submessage')
  if (widget === undefined) return
  const { widget_type } = JSON.parse(widget.content) as Widget
  if (widget_type === 'zform') return
  const read = byType[widget_type].safeParse(data)
  if (!read.success) throw refuse('BAD_REQUEST', `Invalid submessage for a ${widget_type} widget`)
  const isTitle = read.data.type === 'question' || read.data.type === 'new_task_list_title'
  if (isTitle && !use.isOwner) {
    throw refuse('BAD_REQUEST', "You can't edit a question unless you are the author.")
  }
}
