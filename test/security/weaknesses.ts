/** Classes of weaknesses known of products of this family, and the tests that would find each here. */
export interface Weakness {
  readonly name: string
  /** Files, each with a part of the full name of the tests that count; of every test in it when there is none. */
  readonly tests: readonly (readonly [file: string, name?: string])[]
}

const known = 'test/acceptance/known-weaknesses.test.ts'

export const weaknesses: readonly Weakness[] = [
  {
    name: 'somebody calls what they may not: every endpoint by every kind of caller',
    tests: [['test/acceptance/authorization.test.ts']],
  },
  {
    name: 'an organization sees or changes what is of another',
    tests: [
      ['test/acceptance/two-organizations.test.ts'],
      ['test/acceptance/users.test.ts', 'another organization'],
      ['test/acceptance/messages.test.ts', 'another organization'],
    ],
  },
  {
    name: 'keys of bots can be read, bots are promoted',
    tests: [[known, 'keys of bots'], ['test/acceptance/bots.test.ts']],
  },
  {
    name: 'a deactivated account comes in by another way, or stays in',
    tests: [
      [known, 'was deactivated'],
      ['test/acceptance/credentials.test.ts', 'deactivated'],
      ['test/acceptance/event-queues.test.ts', 'deactivated'],
      ['services/gateway/src/sessions/sessions.test.ts', 'deactivation'],
    ],
  },
  {
    name: 'invitations used again, in another organization, for another role',
    tests: [
      [known, 'an invitation'],
      ['test/acceptance/joining.test.ts'],
      ['test/acceptance/invitations.test.ts'],
    ],
  },
  {
    name: 'events or reads of history by who has no access to it',
    tests: [
      [known, 'history'],
      ['services/channels/src/messages/message-access.test.ts'],
      ['test/acceptance/hidden-channels.test.ts'],
      ['services/channels/src/message-changes/moved-messages.test.ts', 'private channel'],
    ],
  },
  {
    name: 'private files and messages in public exports, secrets in any',
    tests: [
      ['services/identity/src/exports/exports.test.ts', 'what an archive has'],
      ['services/channels/src/realm-data/realm-data.test.ts', 'an archive'],
    ],
  },
  {
    name: 'guests read channels that they are not in, or learn of people',
    tests: [
      [known, 'guests'],
      ['test/acceptance/limited-guests.test.ts'],
      ['test/acceptance/subscriptions.test.ts', 'guest'],
    ],
  },
  {
    name: 'scripts in what people write or store',
    tests: [
      [known, 'what somebody writes'],
      ['libs/markdown/src/safety/hostile.test.ts'],
      ['services/uploads/src/serving/hostile.test.ts'],
    ],
  },
  {
    name: 'links that lead to somewhere else than they say',
    tests: [[known, 'links lead to the web only'], ['libs/markdown/src/links.test.ts']],
  },
  {
    name: 'times that tell who is there',
    tests: [['services/identity/src/log-in/equal-work.test.ts']],
  },
  {
    name: 'caches between that mix accounts',
    tests: [
      [known, 'no cache'],
      ['services/gateway/src/front-door.test.ts', 'keep it private'],
    ],
  },
  {
    name: 'requests of ours that lead inside (SSRF)',
    tests: [['services/webhook-dispatcher/src/calls/calls.test.ts', 'hostile']],
  },
  {
    name: 'sessions: cookies that scripts read, forms of other sites',
    tests: [['services/gateway/src/sessions/sessions.test.ts']],
  },
  {
    name: 'guessing passwords',
    tests: [['services/gateway/src/limits/limits.test.ts', 'log-ins']],
  },
  { name: 'requests that are not what they say', tests: [['test/acceptance/hostile-requests.test.ts']] },
]
