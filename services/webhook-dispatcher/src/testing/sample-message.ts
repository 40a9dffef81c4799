import type { BotFact } from '@parley/contracts/identity/topics'
import type { MessageRecord } from '@parley/contracts/objects/message'

export const sampleMessage = (id: number, more: Partial<MessageRecord> = {}): MessageRecord => ({
  id,
  type: 'private',
  subject: '',
  display_recipient: [
    { id: 1, email: 'a@x.example', full_name: 'Ann', is_mirror_dummy: false },
    { id: 9, email: 'bot@x.example', full_name: 'Bot', is_mirror_dummy: false },
  ],
  recipient_id: 5,
  sender_id: 1,
  sender_email: 'a@x.example',
  sender_full_name: 'Ann',
  sender_realm_str: 'acme',
  client: 'test',
  is_me_message: false,
  timestamp: 1_700_000_000,
  reactions: [],
  submessages: [],
  topic_links: [],
  content: 'hello',
  rendered_content: '<p>hello</p>',
  avatar_url: 'https://x.example/a.png',
  avatar_is_gravatar: true,
  ...more,
})

export const sampleBot = (id: number, more: Partial<BotFact> = {}): BotFact => ({
  id,
  realm_id: 7,
  bot_type: 3,
  owner_id: 2,
  is_active: true,
  full_name: `Bot ${id}`,
  email: `bot${id}@x.example`,
  services: [{ base_url: `http://bot${id}.example/hook`, interface: 1, token: 'secret' }],
  version: 1,
  ...more,
})
