import { readDeadLetters } from '@parley/bus'
import type { Command } from './command.ts'
import { kafkaAccess } from './open-manage.ts'

/** What consumers have set aside, each with its reason; without what the records say, which may be private. */
export const showDeadLettersCommand: Command = {
  name: 'show-dead-letters',
  usage: '[--consumer C]',
  options: ['consumer'],
  run: async (_, { consumer }, env) => {
    const letters = await readDeadLetters({
      ...kafkaAccess(env),
      ...(consumer === undefined ? {} : { consumer }),
    })
    return {
      dead_letters: letters.map(({ consumer, topic, partition, offset, key, reason, attempts, at }) => ({
        ...{ consumer, topic, partition, offset, key, reason, attempts, at },
      })),
    }
  },
}
