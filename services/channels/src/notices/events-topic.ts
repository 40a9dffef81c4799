/** Where channels are told of their own changes. */
export const eventsTopic = 'channel events'
