import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnyEndpoint, clientEvents, contracts, serviceNames } from '@parley/contracts'

const tablesOf = (root: string, service: string): string[] => {
  const dir = join(root, 'services', service, 'migrations')
  if (!existsSync(dir)) return []
  const sql = readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(join(dir, name), 'utf8'))
    .join('\n')
  const made = [...sql.matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gim)].map(
    (match) => match[1]!,
  )
  const dropped = new Set([...sql.matchAll(/^DROP TABLE (?:IF EXISTS )?(\w+)/gim)].map((match) => match[1]!))
  return [...new Set(made)].filter((table) => !dropped.has(table))
}

const list = (names: readonly string[]): string => (names.length === 0 ? '-' : names.join(', '))

/** The generated map of the house: service by endpoints, events, topics, internal questions, tables. */
export const serviceMap = (root: string): string => {
  const sections = serviceNames.map((name) => {
    const contract = contracts[name]
    const endpoints = Object.entries(contract.endpoints as Record<string, AnyEndpoint>)
    const events = [
      ...new Set(clientEvents[name].map(({ type, op }) => (op === undefined ? type : `${type}/${op}`))),
    ]
    const rows = endpoints.map(
      ([operation, { method, root, path, access, emits }]) =>
        `| \`${method} ${path}\`${root === 'server' ? " (at the server's address)" : ''} | ${operation} | ${access} | ${list(emits.map((e: { type: string; op?: string }) => (e.op === undefined ? e.type : `${e.type}/${e.op}`)))} |`,
    )
    return [
      `## ${name}`,
      '',
      ...(rows.length === 0
        ? ['No public endpoints yet.']
        : ['| endpoint | operation | who | events |', '| --- | --- | --- | --- |', ...rows]),
      '',
      `- client events: ${list(events)}`,
      `- topics written: ${list(contract.writes.map((topic) => topic.name))}`,
      `- topics followed: ${list(contract.follows.map((topic) => topic.name))}`,
      `- internal questions answered: ${list(Object.values(contract.internals as Record<string, { name: string; callers: readonly string[] }>).map((internal) => `${internal.name} (${internal.callers.join(', ')})`))}`,
      `- sections of registration: ${list(Object.values(contract.sections as Record<string, { name: string }>).map((section) => section.name))}`,
      `- tables: ${list(tablesOf(root, name))}`,
      '',
    ].join('\n')
  })
  return [
    '# The services',
    '',
    'Generated from `libs/contracts` and the migrations by `npm run documents`; do not edit.',
    'How each one works is in its own README; decisions that a newcomer would question are in [DECISIONS.md](DECISIONS.md); settings are in [CONFIGURATION.md](CONFIGURATION.md).',
    '',
    ...sections,
  ].join('\n')
}
