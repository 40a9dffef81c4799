import { Pace } from '@parley/bus'

/**
 * How long a shard's records gather before they are applied, by how much this process delivers to queues: a poll that is
 * answered with five events costs little more than one answered with one. A record that comes alone is never kept
 * waiting; of a process that delivers twelve thousand events per second, each client is answered 8 times per second.
 */
export const deliveryPace = (now?: () => number): Pace => new Pace({ perMillisecond: 100, longest: 120 }, now)
