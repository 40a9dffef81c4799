import { replayDeadLetters } from '@parley/bus'
import { type Command, required } from './command.ts'
import { kafkaAccess } from './open-manage.ts'

/** Has a consumer handle what it had set aside once more; which consumers those are, is told by parley_dead_letters_total. */
export const replayDeadLettersCommand: Command = {
  name: 'replay-dead-letters',
  usage: '--consumer C',
  options: ['consumer'],
  run: (_, values, env) => replayDeadLetters({ ...kafkaAccess(env), consumer: required(values, 'consumer') }),
}
