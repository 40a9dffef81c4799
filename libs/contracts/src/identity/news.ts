/** The topics whose facts decide what other services do with the next request of whoever changed something. */
export const newsTopics = [
  'identity.users',
  'identity.groups',
  'identity.personal',
  'identity.realms',
] as const
