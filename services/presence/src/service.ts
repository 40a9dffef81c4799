import { presence } from '@parley/contracts/presence/index'
import { defineService } from '@parley/kit'
import { followRealmEnds, purgeOf } from '@parley/kit/follow-realm-ends'
import { holdData } from '@parley/kit/hold-data'
import { onUserChanged } from './accounts/on-user-changed.ts'
import { userDirectory } from './accounts/user-directory.ts'
import { config } from './config.ts'
import { emojiDirectory } from './emoji/emoji-directory.ts'
import { onEmojiChanged } from './emoji/on-emoji-changed.ts'
import { liveEvents } from './live/live-events.ts'
import { getRealmPresence } from './presences/get-realm-presence.ts'
import { getUserPresence } from './presences/get-user-presence.ts'
import { livelinessSection } from './presences/liveliness-section.ts'
import { PresenceBoards } from './presences/presence-boards.ts'
import { PresenceNews } from './presences/presence-news.ts'
import { presenceSection } from './presences/presence-section.ts'
import { presenceStore } from './presences/presence-store.ts'
import { updateOwnPresence } from './presences/update-own-presence.ts'
import { holdings } from './realm-data/holdings.ts'
import type { Deps } from './room.ts'
import { onSettingsChanged } from './settings/on-settings-changed.ts'
import { personalChoices } from './settings/personal-choices.ts'
import { realmRules } from './settings/realm-rules.ts'
import { getUserStatus } from './statuses/get-user-status.ts'
import { updateOwnStatus } from './statuses/update-own-status.ts'
import { updateUserStatus } from './statuses/update-user-status.ts'
import { userStatusSection } from './statuses/user-status-section.ts'
import { sendEditTyping } from './typing/send-edit-typing.ts'
import { sendTyping } from './typing/send-typing.ts'

export const service = defineService({
  contract: presence,
  config,
  open: async (opening): Promise<Deps> => {
    const { ask, log } = opening
    const { CLIENT_EVENTS_PARTITIONS, PRESENCE_EVENT_USERS, PRESENCE_RETENTION_DAYS } = opening.config
    const areLimitsKept = opening.config.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE === 'on'
    const database = await opening.database()
    // Without Redis nobody is seen and without Kafka nobody is told; statuses are kept all the same.
    const redis = await opening.redis({ needed: false })
    const bus = await opening.bus({ needed: false })
    await opening.relay({ database, bus })
    const users = userDirectory(ask)
    const emoji = emojiDirectory(ask)
    const live = liveEvents({ bus, partitions: CLIENT_EVENTS_PARTITIONS, log })
    const presences = presenceStore(redis, { retentionDays: PRESENCE_RETENTION_DAYS })
    const boards = new PresenceBoards(presences)
    const choices = personalChoices()
    const rules = realmRules()
    const news = new PresenceNews({
      users,
      live,
      log,
      mostOnline: PRESENCE_EVENT_USERS,
      mayTell: (realmId) => {
        const { isPresenceDisabled, areGuestsLimited } = rules.of(realmId)
        return !isPresenceDisabled && !(areLimitsKept && areGuestsLimited)
      },
    })
    return {
      database,
      bus,
      ask,
      log,
      users,
      emoji,
      live,
      presences,
      boards,
      news,
      choices,
      rules,
      areLimitsKept,
    }
  },
  start: async (deps) => [
    deps.news,
    ...(await onSettingsChanged(deps)),
    ...(await onUserChanged(deps)),
    await onEmojiChanged(deps),
    await followRealmEnds({ ...deps, name: 'presence.ends', purge: purgeOf(holdings, deps) }),
  ],
  endpoints: {
    getRealmPresence,
    getUserPresence,
    updateOwnPresence,
    getUserStatus,
    updateOwnStatus,
    updateUserStatus,
    sendTyping,
    sendEditTyping,
  },
  internals: holdData('presence', holdings),
  sections: { presenceSection, userStatusSection, livelinessSection },
})
