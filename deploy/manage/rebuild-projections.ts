import { RepublishedKind, republish } from '@parley/contracts/identity/republishing'
import type { Ask } from '@parley/kit'
import { type Command, UsageError } from './command.ts'

const kindsOf = (name: string | undefined): readonly RepublishedKind[] => {
  if (name === undefined) return RepublishedKind.options
  const kind = RepublishedKind.safeParse(name)
  if (!kind.success) throw new UsageError(`--of is one of ${RepublishedKind.options.join(', ')}`)
  return [kind.data]
}

const republishAll = async (ask: Ask, kind: RepublishedKind, realm: string | null): Promise<number> => {
  let total = 0
  let after_id: number | null = 0
  while (after_id !== null) {
    const portion: { published: number; last_id: number | null } = await ask(republish, {
      kind,
      realm,
      after_id,
    })
    total += portion.published
    after_id = portion.last_id
  }
  return total
}

/** Has every service write its copies of identity's facts anew, by way of the compacted topics. */
export const rebuildProjectionsCommand: Command = {
  name: 'rebuild-projections',
  usage: `[--of ${RepublishedKind.options.join('|')}] [--realm S]`,
  options: ['of', 'realm'],
  run: async (ask, values) => {
    const published: Partial<Record<RepublishedKind, number>> = {}
    for (const kind of kindsOf(values.of)) {
      published[kind] = await republishAll(ask, kind, values.realm ?? null)
    }
    return { published }
  },
}
