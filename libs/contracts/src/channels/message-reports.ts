import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { reportTypes } from '../objects/report-type.ts'
import { codePoints, Id } from '../objects/values.ts'
import { messageEvent } from './events.ts'

export const reportMessage = endpoint({
  method: 'POST',
  path: '/messages/{message_id}/report',
  service: 'channels',
  summary: 'Report a message to the moderators, in the channel that the organization has for that.',
  access: 'authenticated',
  params: {
    message_id: Id,
    report_type: z.enum(reportTypes.map((type) => type.key)),
    /** Needed where the type says nothing. */
    description: z
      .string()
      .refine((text) => codePoints(text) <= limits.maxReportDescriptionLength, {
        message: `description is too long (limit: ${limits.maxReportDescriptionLength} characters)`,
      })
      .default(''),
  },
  reply: {},
  emits: [messageEvent],
})
