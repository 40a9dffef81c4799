/** What came with which feature level, derived from the contracts. */
import type { ServiceContract } from './contract.ts'
import { publicPath } from './endpoint.ts'
import type { AnyEvent } from './event.ts'

export interface FeatureLevel {
  readonly feature_level: number
  /** One sentence each. */
  readonly changes: readonly string[]
}

/** Latest first; what was there from the beginning (level 1) is no change. */
export const changelog = (
  contracts: readonly ServiceContract[],
  events: readonly (readonly AnyEvent[])[],
): FeatureLevel[] => {
  const added: { level: number; change: string }[] = []
  for (const { endpoints } of contracts) {
    for (const endpoint of Object.values(endpoints)) {
      const { method, since, summary } = endpoint
      const path = endpoint.root === 'server' ? publicPath(endpoint) : endpoint.path
      added.push({ level: since, change: `New endpoint ${method} ${path}: ${summary}` })
    }
  }
  for (const { type, op, since } of events.flat()) {
    added.push({ level: since, change: `New event ${op === undefined ? type : `${type}/${op}`}.` })
  }
  return [...Map.groupBy(added, ({ level }) => level)]
    .filter(([level]) => level > 1)
    .toSorted(([one], [other]) => other - one)
    .map(([level, group]) => ({
      feature_level: level,
      changes: group.map(({ change }) => change).toSorted(),
    }))
}
