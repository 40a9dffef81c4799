import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import {
  beginImport,
  exportForOperator,
  setContentAccess,
  showExport,
  showImport,
} from '@parley/contracts/identity/realm-data-questions'
import { ExportType, exportTypes } from '@parley/contracts/objects/realm-export'
import { type Command, CommandFailed, required, UsageError } from './command.ts'
import { objectStore } from './open-manage.ts'
import { followed, share } from './progress.ts'

const typeOf = (name: string): ExportType => {
  const type = ExportType.safeParse(name)
  if (!type.success) throw new UsageError(`--type is one of ${exportTypes.join(', ')}`)
  return type.data
}

/** Writes an archive beside its place first, so that what has the name is whole. */
export const exportRealmCommand: Command = {
  name: 'export-realm',
  usage: `--realm S [--type ${exportTypes.join('|')}] [--out FILE]`,
  options: ['realm', 'type', 'out'],
  run: async (ask, values, env, progress) => {
    const type = typeOf(values.type ?? 'full_without_consent')
    const { export_id } = await ask(exportForOperator, {
      realm: required(values, 'realm'),
      export_type: type,
    })
    const done = await followed({
      ask: () => ask(showExport, { export_id }),
      isOver: ({ state }) => state !== 'pending',
      tell: ({ state, error }) => `export ${export_id}: ${state}${error === null ? '' : ` (${error})`}`,
      progress,
    })
    if (done.state !== 'finished') throw new CommandFailed(`The export failed: ${done.error}`)
    if (values.out === undefined) return done
    const content = await (await objectStore(env)).get(done.object_key!)
    if (content === undefined) throw new CommandFailed('The archive is gone.')
    await pipeline(content, createWriteStream(`${values.out}.part`))
    await rename(`${values.out}.part`, values.out)
    return { ...done, file: values.out }
  },
}

const unreadable = (file: string): never => {
  throw new UsageError(`${file} cannot be read`)
}

/** `-` reads the archive from standard input (`kubectl exec -i`). The work goes on when this is cut off. */
export const importRealmCommand: Command = {
  name: 'import-realm',
  usage: 'FILE|- --subdomain S [--stubs]',
  options: ['subdomain'],
  flags: ['stubs'],
  operand: 'FILE',
  run: async (ask, values, env, progress) => {
    const file = values.operand!
    const isPiped = file === '-'
    const size = isPiped ? 0 : (await stat(file).catch(() => unreadable(file))).size
    const subdomain = required(values, 'subdomain')
    const store = await objectStore(env)
    const archive_key = `imports/${randomUUID()}.tar`
    const content = isPiped ? process.stdin : createReadStream(file)
    const told = setInterval(() => {
      const { bytesRead } = content as { bytesRead?: number }
      progress.say(`storing: ${share(bytesRead ?? 0, size)}`)
    }, 5000)
    try {
      await store.put(archive_key, content, { contentType: 'application/x-tar' })
    } finally {
      clearInterval(told)
    }
    const begun = await ask(beginImport, {
      subdomain,
      archive_key,
      as_stubs: values.stubs !== undefined,
    }).catch(async (error) => {
      await store.delete([archive_key])
      throw error
    })
    const done = await followed({
      ask: () => ask(showImport, { import_id: begun.import_id }),
      isOver: ({ stage }) => stage === 'done' || stage === 'failed',
      tell: ({ stage, position, total, error }) =>
        `${stage}${stage === 'checking' || stage === 'taking_in' ? `: ${share(position, total)}` : ''}${error === null ? '' : ` (${error})`}`,
      progress,
    })
    if (done.stage === 'failed') throw new CommandFailed(`The import failed: ${done.error}`)
    return { ...done, subdomain }
  },
}

/** Lets owners export everything that was ever written, also what is private; takes it back with `--granted no`. */
export const contentAccessCommand: Command = {
  name: 'owner-content-access',
  usage: '--realm S [--granted yes|no]',
  options: ['realm', 'granted'],
  run: (ask, values) =>
    ask(setContentAccess, { realm: required(values, 'realm'), is_given: values.granted !== 'no' }),
}
