import { consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { personalTopic, realmsTopic } from '@parley/contracts/identity/topics'
import type { Running } from '@parley/kit'
import type { Deps } from '../room.ts'
import { storePresenceEnabled } from '../statuses/status-store.ts'

/**
 * Follows what people and organizations chose: into the memory of every process, and who turned their presence off or on
 * once into what is stored.
 */
export const onSettingsChanged = async (
  deps: Pick<Deps, 'bus' | 'database' | 'presences' | 'news' | 'choices' | 'rules'>,
): Promise<Running[]> => {
  const { bus, database, presences, news, choices, rules } = deps
  const personal = await consumeEverywhere({
    bus,
    name: 'presence.personal',
    topic: personalTopic,
    from: 'beginning',
    handle: (_key, value) => {
      if (value !== null) choices.learn(value)
    },
  })
  const realms = await consumeEverywhere({
    bus,
    name: 'presence.realms',
    topic: realmsTopic,
    from: 'beginning',
    handle: (_key, value) => {
      if (value !== null) rules.learn(value)
    },
  })
  const enabled = await consumeIntoDatabase({
    bus,
    database,
    name: 'presence.personal',
    topic: personalTopic,
    handle: async (tx, { value }) => {
      if (value === null) return
      const { id, realm_id, settings } = value
      const isEnabled = settings.presence_enabled !== false
      const hidesNow = await storePresenceEnabled(tx.sql, realm_id, id, isEnabled)
      if (hidesNow === undefined) return
      const seen = await presences.hide(realm_id, id, hidesNow)
      tx.afterCommit(() => news.tell(realm_id, id, seen))
    },
  })
  return [personal, realms, enabled]
}
