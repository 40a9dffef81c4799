import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { EngineUnavailableError, refuse } from '@parley/contracts'
import { z } from 'zod'

/** A meeting that a link leads to. It exists on the other server from the first visitor on. */
const Meeting = z.strictObject({
  id: z.string(),
  name: z.string(),
  realm: z.int(),
  voice_only: z.boolean(),
  /** Who moderates it; the others are viewers. */
  moderator: z.int(),
})
type Meeting = z.infer<typeof Meeting>

interface Visitor {
  readonly id: number
  readonly full_name: string
}

/** Meetings on a BigBlueButton server, by its own interface. */
export interface BigBlueButton {
  /** The text that stands for a meeting in a link; nobody else can make one. */
  sign(meeting: Meeting): string
  /** @throws ApiError BAD_REQUEST for a text that was not made by `sign`. */
  open(signed: string): Meeting
  /**
   * Where the visitor enters; the meeting is begun if it has not.
   *
   * @throws EngineUnavailableError when the server is away; ApiError BAD_REQUEST when it refuses.
   */
  enter(meeting: Meeting, visitor: Visitor): Promise<string>
}

const milliseconds = 10_000
/** Characters of an answer that are looked at. */
const longestAnswer = 100_000

const elementOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]

/** `url`: the server's address up to `api/`, as its operator reads it there; `secret`: shared with it. */
export const bigBlueButton = (url: string, secret: string): BigBlueButton => {
  const base = `${url.replace(/\/+$/, '')}/api/`
  /** "checksum: SHA-256 of the name of the call, the query and the secret", as that interface demands. */
  const callUrl = (name: string, values: Record<string, string>): string => {
    const query = new URLSearchParams(values).toString()
    return `${base}${name}?${query}&checksum=${createHash('sha256').update(`${name}${query}${secret}`).digest('hex')}`
  }
  const proofOf = (text: string): Buffer =>
    createHmac('sha256', `parley meetings ${secret}`).update(text).digest()
  return {
    sign(meeting) {
      const text = Buffer.from(JSON.stringify(meeting)).toString('base64url')
      return `${text}.${proofOf(text).toString('base64url')}`
    },
    open(signed) {
      const [text = '', sent = ''] = signed.split('.')
      const [proof, right] = [Buffer.from(sent, 'base64url'), proofOf(text)]
      if (proof.length !== right.length || !timingSafeEqual(proof, right)) {
        throw refuse('BAD_REQUEST', 'Invalid signature.')
      }
      return Meeting.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    },
    async enter(meeting, visitor) {
      const begin = callUrl('create', {
        meetingID: meeting.id,
        name: meeting.name,
        lockSettingsDisableCam: String(meeting.voice_only),
      })
      let answer: string
      try {
        const response = await fetch(begin, { signal: AbortSignal.timeout(milliseconds), redirect: 'error' })
        if (!response.ok) throw new Error(`status ${response.status}`)
        answer = (await response.text()).slice(0, longestAnswer)
      } catch (error) {
        throw new EngineUnavailableError('bigbluebutton', { cause: error })
      }
      if (elementOf(answer, 'returncode') !== 'SUCCESS') {
        throw refuse('BAD_REQUEST', 'The BigBlueButton server refused the meeting.')
      }
      return callUrl('join', {
        meetingID: meeting.id,
        role: visitor.id === meeting.moderator ? 'MODERATOR' : 'VIEWER',
        fullName: visitor.full_name,
        userID: String(visitor.id),
        createTime: elementOf(answer, 'createTime') ?? '',
      })
    },
  }
}
