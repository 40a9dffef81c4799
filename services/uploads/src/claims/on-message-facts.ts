import { type Bus, consumeIntoDatabase } from '@parley/bus'
import { messageChangesTopic, messagesTopic } from '@parley/contracts/channels/topics'
import type { Database } from '@parley/db'
import { type Ask, announcing, type Running } from '@parley/kit'
import { filesNamedIn } from './claim-rules.ts'
import { dropMessages, takeInMessage } from './take-in-messages.ts'

interface Parts {
  readonly bus: Bus
  readonly database: Database
  readonly ask: Ask
}

/** Follows the messages of all organizations. */
export const onMessageSent = ({ bus, database, ask }: Parts): Promise<Running> =>
  consumeIntoDatabase({
    bus,
    database,
    name: 'uploads.messages',
    topic: messagesTopic,
    concerns: ({ realm_id, message }) => filesNamedIn(message.rendered_content, realm_id).length > 0,
    handle: async (tx, { value }) => {
      if (value === null) return
      const { id, rendered_content } = value.message
      await takeInMessage(ask, announcing(tx), value.realm_id, id, rendered_content)
    },
  })

/** A message that was moved refers to what it did before; who may read it is asked of channels at each request. */
export const onMessageChanged = ({ bus, database, ask }: Parts): Promise<Running> =>
  consumeIntoDatabase({
    bus,
    database,
    name: 'uploads.message-changes',
    topic: messageChangesTopic,
    concerns: ({ kind }) => kind !== 'moved',
    handle: async (tx, { value }) => {
      if (value?.kind === 'deleted') await dropMessages(announcing(tx), value.message_ids)
      if (value?.kind === 'edited')
        await takeInMessage(ask, announcing(tx), value.realm_id, value.message_id, value.rendered_content)
    },
  })
