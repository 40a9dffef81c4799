import { z } from 'zod'
import { Caller } from '../caller.ts'
import { internal } from '../internal.ts'

/** The newest message that an account can see; -1 when there is none. */
export const newestMessage = internal({
  service: 'channels',
  name: 'newest-message',
  callers: ['identity'],
  input: z.object({ caller: Caller }),
  output: z.object({ max_message_id: z.int() }),
})
