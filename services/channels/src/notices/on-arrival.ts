import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { type ArrivalFact, arrivalsTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { Realm } from '../directory/realm-store.ts'
import { realmSetting } from '../permissions/realm-permissions.ts'
import type { Deps } from '../room.ts'
import { insertNotices, type NewNotice } from './notice-store.ts'
import { signupText, welcomeText } from './welcome-text.ts'

/** Where newcomers are announced. */
const signupTopic = 'signups'

/** What is said when somebody comes: to the newcomer, and where the organization wants to hear of it. */
export const arrivalNotices = (realm: Realm, arrival: ArrivalFact): NewNotice[] => {
  const { realm_id, user_id, full_name, welcome_message_custom_text } = arrival
  const own = welcome_message_custom_text ?? realmSetting(realm, 'welcome_message_custom_text')
  const welcome: NewNotice = {
    realm_id,
    bot: 'welcome',
    to: { user_ids: [user_id] },
    content: welcomeText(realm.name, own),
  }
  const channel_id = realmSetting(realm, 'signup_announcements_stream_id')
  if (channel_id === -1) return [welcome]
  const content = signupText({ id: user_id, full_name })
  return [welcome, { realm_id, bot: 'notification', to: { channel_id, topic: signupTopic }, content }]
}

/** Follows who comes to the organizations. */
export const onArrival = async (deps: Deps & { bus: Bus }): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.arrivals',
    topic: arrivalsTopic,
    handle: async (tx, { value }) => {
      if (value === null) return
      await insertNotices(tx.sql, arrivalNotices(await deps.realms.get(value.realm_id), value))
      tx.afterCommit(deps.bell.ring)
    },
  }),
]
