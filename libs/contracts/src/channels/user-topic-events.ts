import { z } from 'zod'
import type { ClientShape } from '../client-shape.ts'
import { event } from '../event.ts'
import { emptyTopicDisplayName } from '../objects/message.ts'
import { MutedTopic, UserTopic } from '../objects/user-topic.ts'

const shown = (topic: string, { capabilities }: ClientShape): string =>
  topic === '' && !capabilities.empty_topic_name ? emptyTopicDisplayName : topic

/** The recipient's policy for one topic changed. */
export const userTopicEvent = event({
  type: 'user_topic',
  since: 134,
  fields: UserTopic.shape,
  shape: (event, client) => [{ ...event, topic_name: shown(event.topic_name as string, client) }],
})

/** Legacy: all topics that the recipient has muted. */
export const mutedTopicsEvent = event({
  type: 'muted_topics',
  fields: { muted_topics: z.array(MutedTopic) },
  shape: (event, client) => [
    {
      ...event,
      muted_topics: (event.muted_topics as z.infer<typeof MutedTopic>[]).map(([channel, topic, since]) => [
        channel,
        shown(topic, client),
        since,
      ]),
    },
  ],
})
