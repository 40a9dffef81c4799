import { readFile } from 'node:fs/promises'
import { EngineUnavailableError } from '@parley/contracts'
import { Client, EqualityFilter, OrFilter, ResultCodeError } from 'ldapts'
import { bounded } from '../passwords/bounded.ts'
import { escapeDnValue, textOf } from './directory-rules.ts'

/** How people are found in a directory, and what is read there. Deployments say it (config.ts). */
export interface DirectorySettings {
  /** `ldaps://...`, or `ldap://...` that is made secret by StartTLS unless `startTls` is false. */
  readonly url: string
  readonly startTls: boolean
  /** File of the authorities that may vouch for the directory; empty: the system's. */
  readonly caFile: string
  /** Who looks people up; empty where people bind directly. */
  readonly bindDn: string
  readonly bindPassword: string
  /** The name of a person's entry, with `{user}` for what they typed; empty where they are looked up. */
  readonly userDn: string
  readonly base: string
  readonly nameAttribute: string
  readonly emailAttribute: string
  readonly fullNameAttribute: string
  /** Only entries that fit may log in. */
  readonly activeFilter: string
}

export interface DirectoryPerson {
  readonly email: string
  readonly full_name: string
  /** Whether the directory lets the person in. */
  readonly is_active: boolean
}

/**
 * - `unknown`: the directory knows nobody of this name.
 * - `refused`: the password is not theirs, or nobody can tell whether the directory knows them.
 */
export type DirectoryAnswer = DirectoryPerson | 'unknown' | 'refused'

export interface Directory {
  /** @throws EngineUnavailableError when the directory is away, or does not know the server itself. */
  find(name: string, password: string): Promise<DirectoryAnswer>
}

const milliseconds = 5000
const maxNameLength = 256

/** No such object, invalid name, wrong credentials, refused, referred elsewhere: all that the person can be to blame for. */
const blamedOnPerson = new Set([10, 19, 32, 34, 48, 49, 50, 53])
const isBlamedOnPerson = (error: unknown): boolean =>
  error instanceof ResultCodeError && blamedOnPerson.has(error.code)

export const openDirectory = async (settings: DirectorySettings): Promise<Directory> => {
  const { url, base, nameAttribute, emailAttribute, fullNameAttribute, activeFilter } = settings
  const ca = settings.caFile === '' ? undefined : await readFile(settings.caFile)
  const tlsOptions = { minVersion: 'TLSv1.2' as const, ...(ca === undefined ? {} : { ca }) }
  const isSecret = url.startsWith('ldaps:')
  const inTurn = bounded({ running: 10, waiting: 200, patience: milliseconds })

  const connected = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({
      url,
      timeout: milliseconds,
      connectTimeout: milliseconds,
      ...(isSecret ? { tlsOptions } : {}),
    })
    try {
      if (!isSecret && settings.startTls) await client.startTLS(tlsOptions)
      return await work(client)
    } finally {
      await client.unbind().catch(() => undefined)
    }
  }

  /** Whether the directory takes the password for this entry. An empty one would be taken for no name at all. */
  const binds = async (client: Client, dn: string, password: string): Promise<boolean> => {
    try {
      await client.bind(dn, password)
      return true
    } catch (error) {
      if (isBlamedOnPerson(error)) return false
      throw error
    }
  }

  /** What an entry says, and whether it may log in; undefined when it cannot be read. */
  const read = async (client: Client, dn: string): Promise<DirectoryPerson | undefined> => {
    const entry = { scope: 'base' as const, attributes: [emailAttribute, fullNameAttribute] }
    const { searchEntries } = await client.search(dn, entry)
    const [found] = searchEntries
    if (found === undefined) return undefined
    const active = await client.search(dn, { ...entry, filter: activeFilter })
    return {
      email: textOf(found[emailAttribute]),
      full_name: textOf(found[fullNameAttribute]),
      is_active: active.searchEntries.length === 1,
    }
  }

  const bindAndRead = (name: string, password: string): Promise<DirectoryAnswer> =>
    connected(async (client) => {
      const dn = settings.userDn.replaceAll('{user}', escapeDnValue(name))
      if (!(await binds(client, dn, password))) return 'unknown'
      return (await read(client, dn)) ?? 'refused'
    })

  const searchAndBind = (name: string, password: string): Promise<DirectoryAnswer> =>
    connected(async (reader) => {
      if (settings.bindDn !== '') await reader.bind(settings.bindDn, settings.bindPassword)
      const { searchEntries } = await reader.search(base, {
        filter: new OrFilter({
          filters: [nameAttribute, emailAttribute].map(
            (attribute) => new EqualityFilter({ attribute, value: name }),
          ),
        }),
        attributes: [emailAttribute],
        sizeLimit: 2,
      })
      const dn = searchEntries.length === 1 ? searchEntries[0]!.dn : undefined
      // The same work for nobody: an entry that cannot be there.
      const isTheirs = await connected((person) =>
        binds(person, dn ?? `${nameAttribute}=nobody+cn=nobody,${base}`, password),
      )
      if (dn === undefined) return searchEntries.length === 0 ? 'unknown' : 'refused'
      return isTheirs ? ((await read(reader, dn)) ?? 'refused') : 'refused'
    })

  return {
    find: (name, password) =>
      inTurn(async () => {
        if (name === '' || name.length > maxNameLength || name.includes('\0')) return 'unknown'
        if (password === '') return 'refused'
        try {
          return await (settings.userDn === '' ? searchAndBind(name, password) : bindAndRead(name, password))
        } catch (error) {
          throw new EngineUnavailableError('ldap', { cause: error })
        }
      }),
  }
}
