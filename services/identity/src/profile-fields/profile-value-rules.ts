import { limits } from '@parley/contracts'
import { type ProfileFieldType, profileFieldTypes } from '@parley/contracts/objects/profile-field'
import { codePoints } from '@parley/contracts/objects/values'
import type { Finding } from '../users/user-rules.ts'
import { isUrl, optionsOf } from './profile-field-rules.ts'
import type { ProfileFieldRow } from './profile-field-store.ts'

const types = profileFieldTypes

/** Kinds whose text is Markdown. */
export const isMarkdown = (type: ProfileFieldType): boolean =>
  type === types.SHORT_TEXT.id || type === types.LONG_TEXT.id

const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const maxTextLength = (type: ProfileFieldType): number =>
  type === types.LONG_TEXT.id ? limits.maxLongProfileTextLength : limits.maxShortProfileTextLength

/** What is wrong with what somebody says in a field; accounts that are named are to be looked for besides. */
export const profileValueFinding = (field: ProfileFieldRow, value: string | readonly number[]): Finding => {
  if (field.type === types.USER.id) {
    return Array.isArray(value) ? undefined : `${field.name} is not a list of user IDs`
  }
  if (typeof value !== 'string') return `${field.name} is not a string`
  switch (field.type) {
    case types.DATE.id:
      return isDate(value) ? undefined : `${field.name} is not a date`
    case types.URL.id:
      return isUrl(value) && value.length <= 2048 ? undefined : `${field.name} is not a URL`
    case types.SELECT.id:
      return optionsOf(field.field_data).includes(value)
        ? undefined
        : `'${value}' is not a valid choice for '${field.name}'.`
    default: {
      const limit = maxTextLength(field.type)
      return codePoints(value) > limit ? `${field.name} is too long (limit: ${limit} characters)` : undefined
    }
  }
}
