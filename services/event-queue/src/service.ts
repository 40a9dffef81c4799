import { eventQueue } from '@parley/contracts/event-queue/index'
import { defineService } from '@parley/kit'
import { followRealmEnds } from '@parley/kit/follow-realm-ends'
import { Accounts } from './accounts/accounts.ts'
import { followAccounts } from './accounts/follow-accounts.ts'
import { config } from './config.ts'
import { getEvents } from './polls/get-events.ts'
import { listenForNews } from './polls/listen-for-news.ts'
import { Polls } from './polls/polls.ts'
import { deleteQueue } from './queues/delete-queue.ts'
import { shardLog as openShardLog } from './queues/shard-log.ts'
import { purgeQueues, realmTraces } from './realm-data/queues-of-realm.ts'
import { registerQueue } from './registration/register-queue.ts'
import { StateRoom } from './registration/state-room.ts'
import type { Deps } from './room.ts'
import { listenForNotices } from './shards/listen-for-notices.ts'
import { thisRelease } from './shards/release.ts'
import { ShardOwners } from './shards/shard-owners.ts'
import { openShardStore } from './store/shard-store.ts'

export const service = defineService({
  contract: eventQueue,
  config,
  open: async (opening): Promise<Deps> => {
    const { log, ask } = opening
    const {
      CLIENT_EVENTS_PARTITIONS: shards,
      MAX_PENDING_EVENTS,
      EVENT_CACHE_MIB,
      MAX_QUEUES_PER_USER,
      RELEASE,
      REGISTRATION_STATES_MIB,
    } = opening.config
    const bus = await opening.bus()
    const store = openShardStore(await opening.redis())
    const subscriber = await opening.redis({ purpose: 'subscriber' })
    const shardLog = openShardLog(bus)
    const accounts = new Accounts()
    const release = thisRelease(RELEASE)
    const eventBytes = EVENT_CACHE_MIB * 1024 * 1024
    const polls = new Polls({ store, shards, eventBytes, tick: shardLog.tick, log })
    const owners = new ShardOwners({
      ...{ bus, store, shardLog, ask, accounts, log, shards, release },
      maxPending: MAX_PENDING_EVENTS,
      maxQueues: MAX_QUEUES_PER_USER,
      foretell: (shard, append) => polls.foretell(shard, append),
      tellAhead: (shard, ahead) => polls.tellAhead(shard, ahead),
    })
    const states = new StateRoom(REGISTRATION_STATES_MIB * 1024 * 1024)
    return { bus, subscriber, log, ask, shards, store, shardLog, polls, owners, accounts, release, states }
  },
  endpoints: { registerQueue, getEvents, deleteQueue },
  internals: { realmTraces },
  sections: {},
  start: async (deps) => {
    const { subscriber, shards, polls, owners, log } = deps
    const news = await listenForNews(subscriber, shards, polls, log)
    const accounts = await followAccounts(deps)
    await owners.start()
    const notices = await listenForNotices(subscriber, owners, log)
    const ends = await followRealmEnds({ ...deps, name: 'event-queue.ends', purge: purgeQueues(deps) })
    return [{ stop: async () => polls.stop() }, news, ...accounts, owners, notices, ends]
  },
  drain: async ({ polls }) => polls.drain(),
})
