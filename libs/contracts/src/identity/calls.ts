import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

export const createBigBlueButtonCall = endpoint({
  method: 'GET',
  path: '/calls/bigbluebutton/create',
  service: 'identity',
  summary:
    'A link to a new meeting on the BigBlueButton server; the meeting begins when somebody follows it.',
  access: 'authenticated',
  params: { meeting_name: z.string(), voice_only: z.boolean().default(false) },
  /** Below the address of the organization. */
  reply: { url: z.string() },
})

export const joinBigBlueButtonCall = endpoint({
  method: 'GET',
  path: '/calls/bigbluebutton/join',
  service: 'identity',
  summary: 'Begins the meeting that a link was made for, if it has not begun, and leads the caller in.',
  access: 'authenticated',
  root: 'server',
  answer: 'stream',
  params: { bigbluebutton: z.string() },
  reply: {},
})
