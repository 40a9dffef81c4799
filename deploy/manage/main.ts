import { parseArgs } from 'node:util'
import { ApiError, EngineUnavailableError } from '@parley/contracts'
import { apiKeyCommand } from './api-key.ts'
import { type Command, UsageError } from './command.ts'
import { createRealmCommand } from './create-realm.ts'
import { createUserCommand } from './create-user.ts'
import { grantPermissionCommand } from './grant-permission.ts'
import { NoStack, openManage } from './open-manage.ts'
import { deactivateRealmCommand, listRealmsCommand, reactivateRealmCommand } from './realm-life.ts'
import { replayDeadLettersCommand } from './replay-dead-letters.ts'

/** The commands of `npm run manage --`, all of them. */
const commands: readonly Command[] = [
  createRealmCommand,
  createUserCommand,
  apiKeyCommand,
  grantPermissionCommand,
  replayDeadLettersCommand,
  listRealmsCommand,
  deactivateRealmCommand,
  reactivateRealmCommand,
]

/** 0 done, 1 refused, 2 wrong arguments, 3 nothing to talk to. Results go to standard output, errors to standard error. */
const [name, ...args] = process.argv.slice(2)
process.exitCode = await runCommand()
// Connections are kept for the next question; there is none.
process.stdout.write('', () => process.exit())

async function runCommand(): Promise<number> {
  const command = commands.find((candidate) => candidate.name === name)
  try {
    if (!command) throw new UsageError(name === undefined ? 'no command' : `no command ${name}`)
    const values = optionsOf(command)
    console.log(JSON.stringify(await command.run(openManage(process.env), values, process.env)))
    return 0
  } catch (error) {
    if (error instanceof UsageError) {
      const usages = (command ? [command] : commands).map(
        (one) => `  npm run manage -- ${one.name} ${one.usage}`,
      )
      console.error([error.message, 'usage:', ...usages].join('\n'))
      return 2
    }
    if (error instanceof ApiError) {
      console.error(JSON.stringify({ code: error.code, msg: error.message }))
      return 1
    }
    if (error instanceof NoStack || error instanceof EngineUnavailableError) {
      console.error(error.message)
      return 3
    }
    throw error
  }
}

function optionsOf(command: Command): Record<string, string | undefined> {
  const options = Object.fromEntries(command.options.map((option) => [option, { type: 'string' as const }]))
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
