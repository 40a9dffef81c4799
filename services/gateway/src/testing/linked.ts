import { type AnyEndpoint, ApiError } from '@parley/contracts'
import type { LinkedEndpoint } from '@parley/kit/request-links'

export type LinkedOutcome = Awaited<ReturnType<LinkedEndpoint['call']>>

/** What a service was asked over a link. */
export interface Asked {
  readonly call: Parameters<LinkedEndpoint['call']>[0]
  readonly sent: Record<string, unknown>
}

/** A service's only endpoint on links, which answers as the test says. */
export const linked = (
  operation: string,
  endpoint: AnyEndpoint,
  answer: (asked: Asked) => LinkedOutcome | Promise<LinkedOutcome>,
): ReadonlyMap<string, LinkedEndpoint> => {
  const call: LinkedEndpoint['call'] = async (call) => {
    try {
      return await answer({ call, sent: (await call.parameters()).sent })
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }
  return new Map([[operation, { endpoint, admit: ({ caller }) => caller!, call }]])
}
