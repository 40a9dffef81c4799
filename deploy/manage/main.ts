import { parseArgs } from 'node:util'
import { ApiError, EngineUnavailableError } from '@parley/contracts'
import { apiKeyCommand } from './api-key.ts'
import { type Command, CommandFailed, UsageError } from './command.ts'
import { createRealmCommand } from './create-realm.ts'
import { createUserCommand } from './create-user.ts'
import { grantPermissionCommand } from './grant-permission.ts'
import { NoStack, openManage } from './open-manage.ts'
import { NotConfirmed, progress } from './progress.ts'
import { contentAccessCommand, exportRealmCommand, importRealmCommand } from './realm-archives.ts'
import {
  deactivateRealmCommand,
  listRealmsCommand,
  purgeStatusCommand,
  reactivateRealmCommand,
  realmTracesCommand,
} from './realm-life.ts'
import { rebuildProjectionsCommand } from './rebuild-projections.ts'
import { replayDeadLettersCommand } from './replay-dead-letters.ts'
import { requirePasswordResetCommand } from './require-password-reset.ts'
import { showDeadLettersCommand } from './show-dead-letters.ts'

/** The commands of `npm run manage --`, all of them. */
const commands: readonly Command[] = [
  createRealmCommand,
  createUserCommand,
  apiKeyCommand,
  grantPermissionCommand,
  showDeadLettersCommand,
  replayDeadLettersCommand,
  listRealmsCommand,
  deactivateRealmCommand,
  reactivateRealmCommand,
  purgeStatusCommand,
  realmTracesCommand,
  exportRealmCommand,
  importRealmCommand,
  contentAccessCommand,
  rebuildProjectionsCommand,
  requirePasswordResetCommand,
]

/** Every command takes `--json` (nothing but the result) and `--yes`. 0 done, 1 refused or failed, 2 wrong arguments, 3 nothing to talk to. Results go to standard output, errors to standard error. */
const [name, ...args] = process.argv.slice(2)
process.exitCode = await runCommand()
// Connections are kept for the next question; there is none.
process.stdout.write('', () => process.exit())

async function runCommand(): Promise<number> {
  const command = commands.find((candidate) => candidate.name === name)
  try {
    if (!command) throw new UsageError(name === undefined ? 'no command' : `no command ${name}`)
    const values = optionsOf(command)
    const told = progress(values.json !== undefined)
    const result = await command.run(openManage(process.env), values, process.env, told)
    console.log(JSON.stringify(result, null, values.json === undefined && process.stdout.isTTY ? 2 : 0))
    return 0
  } catch (error) {
    if (error instanceof UsageError) {
      const usages = (command ? [command] : commands).map(
        (one) => `  npm run manage -- ${one.name} ${one.usage}`,
      )
      console.error([error.message, 'usage:', ...usages].join('\n'))
      return 2
    }
    if (error instanceof CommandFailed || error instanceof NotConfirmed) {
      console.error(error.message)
      return 1
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
  const flags = [...(command.flags ?? []), 'json', 'yes']
  const options = {
    ...Object.fromEntries(command.options.map((option) => [option, { type: 'string' as const }])),
    ...Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' as const }])),
  }
  try {
    const { values, positionals } = parseArgs({
      args,
      options,
      allowPositionals: command.operand !== undefined,
    })
    if (command.operand !== undefined && positionals.length !== 1) {
      throw new Error(`${command.operand} is missing`)
    }
    const texts = Object.entries(values).map(([name, value]) => [name, String(value)])
    return {
      ...Object.fromEntries(texts),
      ...(positionals[0] === undefined ? {} : { operand: positionals[0] }),
    }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
