import { event } from '../event.ts'

/** Nothing else happened for 45 to 55 seconds: the connection lives. */
export const heartbeat = event({ type: 'heartbeat', fields: {} })
