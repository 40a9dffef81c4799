import { isDeepStrictEqual } from 'node:util'
import { limits } from '@parley/contracts'
import {
  externalAccounts,
  type ProfileFieldType,
  profileFieldTypes,
} from '@parley/contracts/objects/profile-field'
import { codePoints } from '@parley/contracts/objects/values'
import { z } from 'zod'
import type { Finding } from '../users/user-rules.ts'
import type { ProfileFieldProperties, ProfileFieldRow } from './profile-field-store.ts'

const { SELECT, EXTERNAL_ACCOUNT, SHORT_TEXT, USER } = profileFieldTypes

/** What a client sends of a field. */
export interface ProfileFieldWishes {
  readonly name?: string | undefined
  readonly hint?: string | undefined
  readonly field_data?: Readonly<Record<string, unknown>> | undefined
  readonly display_in_profile_summary?: boolean | undefined
  readonly required?: boolean | undefined
  readonly editable_by_user?: boolean | undefined
  readonly use_for_user_matching?: boolean | undefined
}

const Options = z.record(
  z.string().min(1),
  z.strictObject({ text: z.string().trim().min(1).max(50), order: z.string().regex(/^\d{1,6}$/) }),
)
/** Where the name of an account goes, exactly once. */
const slot = '%(username)s'
const Account = z.union([
  z.strictObject({ subtype: z.enum(Object.keys(externalAccounts) as (keyof typeof externalAccounts)[]) }),
  z.strictObject({
    subtype: z.literal('custom'),
    url_pattern: z
      .string()
      .max(1024)
      .refine((pattern) => pattern.split(slot).length === 2 && isUrl(pattern.replace(slot, 'x'))),
  }),
])

/** Whether this is an address of a page that a browser may open. */
export const isUrl = (text: string): boolean => {
  if (!/^https?:\/\/[^\s]+$/i.test(text)) return false
  return URL.canParse(text)
}

/** The keys of a list's options. */
export const optionsOf = (field_data: string): string[] => Object.keys(JSON.parse(field_data))

/** The account's site, when it is one that the server knows itself. */
const knownSite = (type: ProfileFieldType, data: Readonly<Record<string, unknown>> | undefined) => {
  const subtype = data?.subtype
  return type === EXTERNAL_ACCOUNT.id &&
    typeof subtype === 'string' &&
    Object.hasOwn(externalAccounts, subtype)
    ? externalAccounts[subtype as keyof typeof externalAccounts]
    : undefined
}

const fieldDataFinding = (type: ProfileFieldType, data: unknown): Finding => {
  if (type === SELECT.id) {
    const options = Options.safeParse(data)
    if (!options.success) return 'field_data is not a list of options, each with a text and an order.'
    const texts = Object.values(options.data).map(({ text }) => text)
    if (texts.length === 0) return 'Field must have at least one choice.'
    return new Set(texts).size === texts.length ? undefined : 'Field must not have duplicate choices.'
  }
  if (type === EXTERNAL_ACCOUNT.id) {
    return Account.safeParse(data).success
      ? undefined
      : `field_data is no known site, nor a custom one whose url_pattern holds ${slot} once.`
  }
  return undefined
}

/** Of an account at a site that the server knows, only the switches are for administrators to set. */
const changesSite = (wishes: ProfileFieldWishes, before: ProfileFieldRow): boolean =>
  (wishes.name !== undefined && wishes.name.trim() !== before.name) ||
  (wishes.hint !== undefined && wishes.hint !== before.hint) ||
  (wishes.field_data !== undefined && !isDeepStrictEqual(wishes.field_data, JSON.parse(before.field_data)))

type Outcome =
  | { readonly finding: string }
  | { readonly finding?: undefined; readonly properties: ProfileFieldProperties }

/** What a field is after these wishes, or what is wrong with them. `before` is not given for a new field. */
export const profileFieldAfter = (
  type: ProfileFieldType,
  wishes: ProfileFieldWishes,
  before?: ProfileFieldRow,
): Outcome => {
  const stored = before?.field_data ? JSON.parse(before.field_data) : undefined
  const data = wishes.field_data ?? stored
  if (knownSite(type, stored) !== undefined && changesSite(wishes, before!)) {
    return { finding: 'Default custom field cannot be updated.' }
  }
  const needsData = type === SELECT.id || type === EXTERNAL_ACCOUNT.id
  const wrongData = needsData ? fieldDataFinding(type, data) : undefined
  if (wrongData !== undefined) return { finding: wrongData }
  const site = knownSite(type, data)
  const name = site?.name ?? (wishes.name ?? before?.name ?? '').trim()
  const hint = site?.hint ?? wishes.hint ?? before?.hint ?? ''
  if (name === '') return { finding: 'Label cannot be blank.' }
  if (codePoints(name) > limits.maxProfileFieldNameLength) {
    return { finding: `name is too long (limit: ${limits.maxProfileFieldNameLength} characters)` }
  }
  if (codePoints(hint) > limits.maxProfileFieldHintLength) {
    return { finding: `hint is too long (limit: ${limits.maxProfileFieldHintLength} characters)` }
  }
  const use_for_user_matching = wishes.use_for_user_matching ?? before?.use_for_user_matching ?? false
  if (use_for_user_matching && type !== SHORT_TEXT.id && type !== EXTERNAL_ACCOUNT.id) {
    return { finding: 'Only short texts and external accounts can be used for user matching.' }
  }
  const display_in_profile_summary =
    wishes.display_in_profile_summary ?? before?.display_in_profile_summary ?? false
  if (display_in_profile_summary && type === USER.id) {
    return { finding: 'Field type not supported for display in profile summary.' }
  }
  return {
    properties: {
      name,
      hint,
      field_data: needsData ? JSON.stringify(data) : '',
      display_in_profile_summary,
      required: wishes.required ?? before?.required ?? false,
      editable_by_user: wishes.editable_by_user ?? before?.editable_by_user ?? true,
      use_for_user_matching,
    },
  }
}

/** What stands against a field beside the others of the organization. */
export const besideOthersFinding = (
  properties: ProfileFieldProperties,
  others: readonly ProfileFieldRow[],
): Finding => {
  if (others.some(({ name }) => name.toLowerCase() === properties.name.toLowerCase())) {
    return 'A field with that label already exists.'
  }
  const shown = others.filter((field) => field.display_in_profile_summary).length
  if (properties.display_in_profile_summary && shown >= limits.maxProfileSummaryFields) {
    return `Only ${limits.maxProfileSummaryFields} custom profile fields can be displayed in the profile summary.`
  }
  return undefined
}
