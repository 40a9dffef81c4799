import { z } from 'zod'
import { limits } from '../limits.ts'

export const Id = z.int().positive()
/** UNIX seconds. */
export const Timestamp = z.int()

/** Length in Unicode code points, as clients count it. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/**
 * A group-setting value: a user group's ID, or an anonymous group. An anonymous group of exactly one subgroup
 * and no members is always written as that group's ID.
 */
export const GroupSettingValue = z.union([
  z.int(),
  z.strictObject({
    direct_members: z.array(z.int()).max(limits.maxGroupSettingMembers),
    direct_subgroups: z.array(z.int()).max(limits.maxGroupSettingSubgroups),
  }),
])
export type GroupSettingValue = z.infer<typeof GroupSettingValue>

/** How a group-valued setting is changed: `old`, when sent, is what the client believes it to be. */
export const GroupSettingUpdate = z.strictObject({
  new: GroupSettingValue,
  old: GroupSettingValue.optional(),
})
