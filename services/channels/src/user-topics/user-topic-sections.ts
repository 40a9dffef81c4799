import type { SectionOptions } from '@parley/contracts'
import {
  userTopicSection as contract,
  mutedTopicsSection as mutedContract,
} from '@parley/contracts/channels/sections'
import { emptyTopicDisplayName } from '@parley/contracts/objects/message'
import { section } from '../room.ts'
import { mutedTopics } from './user-topic-changes.ts'
import { userTopicsOf } from './user-topic-store.ts'

const shown = (topic: string, options: SectionOptions): string =>
  topic === '' && options.client_capabilities?.empty_topic_name !== true ? emptyTopicDisplayName : topic

export const userTopicSection = section(
  contract,
  async ({ caller, options, sql }) => ({
    user_topics: (await userTopicsOf(sql, caller.user.id)).map(({ channel_name: _, ...topic }) => ({
      ...topic,
      topic_name: shown(topic.topic_name, options),
    })),
  }),
  async () => ({ user_topics: [] }),
)

export const mutedTopicsSection = section(
  mutedContract,
  async ({ caller, options, sql }) => {
    const topics = await userTopicsOf(sql, caller.user.id)
    return {
      muted_topics: mutedTopics(
        topics.map((topic) => ({ ...topic, topic_name: shown(topic.topic_name, options) })),
      ),
    }
  },
  async () => ({ muted_topics: [] }),
)
