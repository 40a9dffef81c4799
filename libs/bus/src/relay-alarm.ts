import { type Alarm, alarm } from './alarm.ts'

/** What wakes a relay. */
export interface RelayAlarm extends Alarm {
  /** Something was committed that may not have been looked at. */
  hasNews: boolean
  /** Something was committed. */
  tell(): void
}

export const relayAlarm = (): RelayAlarm => {
  const bell = alarm()
  const relays: RelayAlarm = {
    ...bell,
    hasNews: false,
    tell() {
      relays.hasNews = true
      bell.ring()
    },
  }
  return relays
}
