import { z } from 'zod'
import { event } from '../event.ts'
import { Reaction } from '../objects/message.ts'

const fields = { ...Reaction.shape, message_id: z.int() }

export const reactionAdd = event({ type: 'reaction', op: 'add', since: 484, fields })
export const reactionRemove = event({ type: 'reaction', op: 'remove', since: 484, fields })

/** Somebody used a widget. */
export const submessageEvent = event({
  type: 'submessage',
  fields: {
    msg_type: z.string(),
    content: z.string(),
    message_id: z.int(),
    sender_id: z.int(),
    submessage_id: z.int(),
  },
})
