import { type CallerRealm, refuse } from '@parley/contracts'
import { channelNameFinding, storedDescription } from '../channels/channel-rules.ts'
import { renderText, type TextDirectories } from '../messages/render-text.ts'
import type { JoinedChannel } from './joining.ts'
import { demandColor } from './subscription-rules.ts'

interface Wanted {
  readonly name: string
  readonly description?: string | undefined
  readonly color?: string | undefined
}

/**
 * The channels that a request names, each once, as their author meant them: names without surrounding space,
 * descriptions in one line and rendered.
 *
 * @throws ApiError BAD_REQUEST for a name, a description or a color that no channel can have.
 */
export const wantedChannels = async (
  deps: TextDirectories,
  realm: CallerRealm,
  sent: readonly Wanted[],
): Promise<JoinedChannel[]> => {
  const wanted = new Map<string, JoinedChannel>()
  for (const { name: spelled, description: written = '', color } of sent) {
    const name = demandChannelName(spelled)
    const key = name.toLowerCase()
    if (wanted.has(key)) continue
    if (color !== undefined) demandColor(color)
    wanted.set(key, { name, color, ...(await describedAs(deps, realm, written)) })
  }
  return [...wanted.values()]
}

/** @throws ApiError BAD_REQUEST for a name that no channel can have. */
export const demandChannelName = (spelled: string): string => {
  const name = spelled.trim().normalize()
  const finding = channelNameFinding(name)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  return name
}

/** A description as it is stored, and as HTML. */
export const describedAs = async (
  deps: TextDirectories,
  realm: CallerRealm,
  written: string,
): Promise<{ description: string; rendered_description: string }> => {
  const description = storedDescription(written)
  const rendered_description =
    description === '' ? '' : (await renderText(deps, realm, description)).rendered.html
  return { description, rendered_description }
}
