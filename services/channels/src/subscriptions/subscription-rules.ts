/** What a subscriber may set; no I/O. */
import { limits, refuse } from '@parley/contracts'
import type { SubscriptionSettings } from './subscription-store.ts'

/** @throws ApiError BAD_REQUEST unless it is `#rgb` or `#rrggbb`. */
export const demandColor = (color: string): string => {
  if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(color))
    throw refuse('BAD_REQUEST', 'color is not a valid hex color code')
  return color
}

/** Settings of which null means: as the user's own setting says. */
const inheritable = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
] as const

/** One change of a setting as it is stored. */
export type SettingChange = Partial<{ -readonly [K in keyof SubscriptionSettings]: SubscriptionSettings[K] }>

/** @throws ApiError BAD_REQUEST for a property that there is not, and for a value that it cannot have. */
export const settingChange = (property: string, value: boolean | string | null): SettingChange => {
  switch (property) {
    case 'color':
      if (typeof value !== 'string') throw refuse('BAD_REQUEST', 'color is not a string')
      return { color: demandColor(value) }
    case 'is_muted':
    case 'pin_to_top':
      return { [property]: demandBoolean(property, value) }
    case 'in_home_view':
      return { is_muted: !demandBoolean(property, value) }
    default: {
      const name = inheritable.find((known) => known === property)
      if (name === undefined) throw refuse('BAD_REQUEST', `Unknown subscription property: ${property}`)
      return { [name]: value === null ? null : demandBoolean(name, value) }
    }
  }
}

const demandBoolean = (property: string, value: boolean | string | null): boolean => {
  if (typeof value !== 'boolean') throw refuse('BAD_REQUEST', `${property} is not a boolean`)
  return value
}

/** @throws ApiError BAD_REQUEST for more at once than can be changed in the time of a request. */
export const demandBounded = (channels: readonly unknown[], people: readonly unknown[]): void => {
  const limit = limits.maxSubscriptionsPerRequest
  if (channels.length * people.length > limit) {
    throw refuse('BAD_REQUEST', `Too many channels times principals (limit: ${limit})`)
  }
}
