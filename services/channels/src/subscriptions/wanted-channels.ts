import { refuse } from '@parley/contracts'
import { channelNameFinding } from '../channels/channel-rules.ts'

export interface WantedChannel {
  readonly name: string
  readonly description: string
}

/**
 * The channels that a request names, each once, as their author meant them: names without surrounding space,
 * descriptions in one line.
 *
 * @throws ApiError BAD_REQUEST for a name or a description that no channel can have.
 */
export const wantedChannels = (
  sent: readonly { name: string; description?: string | undefined }[],
): WantedChannel[] => {
  const wanted = new Map<string, WantedChannel>()
  for (const { name: spelled, description = '' } of sent) {
    const name = spelled.trim().normalize()
    const finding = channelNameFinding(name)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    if (description.includes('\0')) throw refuse('BAD_REQUEST', 'description must not contain null bytes')
    const key = name.toLowerCase()
    if (!wanted.has(key)) {
      wanted.set(key, {
        name,
        description: description
          .toWellFormed()
          .replace(/\s*\n\s*/g, ' ')
          .trim(),
      })
    }
  }
  return [...wanted.values()]
}
