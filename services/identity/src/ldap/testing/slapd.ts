/** A real directory server: OpenLDAP's slapd, with people, on free ports and data of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@parley/testkit'
import { Client } from 'ldapts'
import { findProgram, runCommand } from '../../../../../deploy/machine/commands.ts'
import { freePorts } from '../../../../../deploy/machine/ports.ts'
import { cachedOrBuilt } from '../../../../../deploy/provisioning/cache.ts'
import { unpackPackages } from '../../../../../deploy/provisioning/system-packages.ts'

export const base = 'dc=example,dc=org'
export const reader = { dn: `cn=reader,${base}`, password: 'reader secret' }

export interface Slapd {
  readonly url: string
  readonly secureUrl: string
  readonly caFile: string
  stop(): Promise<void>
}

interface Installed {
  readonly program: string
  readonly root: string
}

const isThere = async (path: string): Promise<boolean> => {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

/** The installed server, else the system's package, unpacked into the cache folder. */
const installed = async (): Promise<Installed> => {
  const program = await findProgram('slapd', ['/usr/sbin'])
  if (program !== undefined && (await isThere('/etc/ldap/schema/core.schema'))) return { program, root: '' }
  const root = await cachedOrBuilt('slapd-debian', AbortSignal.timeout(120_000), (folder) =>
    unpackPackages(['slapd'], folder, AbortSignal.timeout(120_000)),
  )
  return { program: join(root, 'usr/sbin/slapd'), root }
}

const libraryFolder = (): string => (process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu')

/** People of the directory, each with a password of their own. */
const people = [
  {
    uid: 'anna',
    cn: 'Anna Ott',
    mail: 'anna@example.org',
    userPassword: 'anna secret',
    employeeType: 'active',
  },
  {
    uid: 'gone',
    cn: 'Gone Away',
    mail: 'gone@example.org',
    userPassword: 'gone secret',
    employeeType: 'left',
  },
  { uid: 'mailless', cn: 'No Mail', userPassword: 'mailless secret', employeeType: 'active' },
  {
    uid: 'odd*(name)',
    cn: 'Odd "*" Name',
    mail: 'odd@example.org',
    userPassword: 'odd secret',
    employeeType: 'active',
  },
] as const

const populate = async (url: string): Promise<void> => {
  const client = new Client({ url })
  try {
    await client.bind(`cn=admin,${base}`, 'admin secret')
    await client.add(base, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' })
    await client.add(`ou=people,${base}`, { objectClass: ['organizationalUnit'], ou: 'people' })
    await client.add(reader.dn, {
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      cn: 'reader',
      userPassword: reader.password,
    })
    for (const [index, person] of people.entries()) {
      await client.add(`employeeNumber=${index},ou=people,${base}`, {
        objectClass: ['inetOrgPerson'],
        sn: 'x',
        employeeNumber: String(index),
        ...person,
      })
    }
    await client.add(`uid=direct,ou=people,${base}`, {
      objectClass: ['inetOrgPerson'],
      ...{ sn: 'x', uid: 'direct', cn: 'Direct Bind', mail: 'direct@example.org' },
      ...{ userPassword: 'direct secret', employeeType: 'active' },
    })
    // Whoever is looked for below is to be looked for elsewhere.
    await client.add(`ou=elsewhere,${base}`, {
      objectClass: ['referral', 'extensibleObject'],
      ou: 'elsewhere',
      ref: `ldap://127.0.0.1:1/ou=elsewhere,${base}`,
    })
  } finally {
    await client.unbind()
  }
}

export const startSlapd = async (): Promise<Slapd> => {
  const { program, root } = await installed()
  const folder = await mkdtemp(join(tmpdir(), 'parley-slapd-'))
  await mkdir(join(folder, 'data'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  await runCommand('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate],
  ])
  const [port, securePort] = await freePorts(2)
  const schema = `${root}/etc/ldap/schema`
  await writeFile(
    join(folder, 'slapd.conf'),
    `
include ${schema}/core.schema
include ${schema}/cosine.schema
include ${schema}/inetorgperson.schema
modulepath ${root}/usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${key}
database mdb
suffix "${base}"
rootdn "cn=admin,${base}"
rootpw "admin secret"
directory ${folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${reader.dn}" read by self read by * none
`,
  )
  const url = `ldap://localhost:${port}`
  const secureUrl = `ldaps://localhost:${securePort}`
  const libraries = `${root}/usr/lib/${libraryFolder()}`
  const server = spawn(
    program,
    ['-f', join(folder, 'slapd.conf'), '-h', `${url}/ ${secureUrl}/`, '-d', '0'],
    {
      stdio: 'ignore',
      env: { ...process.env, ...(root === '' ? {} : { LD_LIBRARY_PATH: libraries }) },
    },
  )
  const ended = once(server, 'exit')
  const stop = async (): Promise<void> => {
    server.kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await eventually(async () => {
      const client = new Client({ url, connectTimeout: 1000 })
      await client.bind(`cn=admin,${base}`, 'admin secret')
      await client.unbind()
    })
    await populate(url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, secureUrl, caFile: certificate, stop }
}
