/** The eight rooms of the house, in the order in which they start. */
export const serviceNames = [
  'identity',
  'channels',
  'invitations',
  'uploads',
  'presence',
  'event-queue',
  'webhook-dispatcher',
  'gateway',
] as const

export type ServiceName = (typeof serviceNames)[number]

/** Who may sign an internal call: a service, or the operators' command line. */
export type Issuer = ServiceName | 'manage'
