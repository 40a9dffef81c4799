import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Issuer, serviceNames } from '@parley/contracts'
import { stringify } from 'yaml'
import { newSigningKey, publicKeyOf } from './keys.ts'
import { servicesWithDatabase } from './preparation.ts'

/**
 * Prints the secrets that the manifests of k8s/ refer to, all generated anew, for `kubectl apply -f -`. Once per
 * installation: with another SECRET_KEY no API key works any more. Passwords of Kafka users are their operator's.
 *
 *     node deploy/kubernetes-secrets.ts --namespace parley
 */
const { values } = parseArgs({ options: { namespace: { type: 'string', default: 'parley' } } })
const { namespace } = values

const password = (): string => randomBytes(24).toString('base64url')
const secret = (name: string, stringData: Record<string, string>, type = 'Opaque'): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  type,
  stringData,
})

const issuers: readonly Issuer[] = [...serviceNames, 'manage']
const signing = Object.fromEntries(issuers.map((issuer) => [issuer, newSigningKey()])) as Record<
  Issuer,
  string
>
const trusted = Object.fromEntries(issuers.map((issuer) => [issuer, publicKeyOf(signing[issuer])]))
const store = { access: `parley-${randomBytes(4).toString('hex')}`, secret: password() }
const redis = password()

const documents = [
  ...issuers.map((issuer) =>
    secret(`${issuer}-keys`, {
      SIGNING_KEY: signing[issuer],
      ...(issuer === 'identity' || issuer === 'invitations'
        ? { SECRET_KEY: randomBytes(32).toString('base64') }
        : {}),
    }),
  ),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'trusted-keys', namespace },
    data: { TRUSTED_KEYS: JSON.stringify(trusted) },
  },
  ...servicesWithDatabase.map((service) =>
    secret(
      `${service}-database`,
      { username: service.replaceAll('-', '_'), password: password() },
      'kubernetes.io/basic-auth',
    ),
  ),
  secret('postgres-administrator', { password: password() }),
  secret('redis-access', { REDIS_PASSWORD: redis, REDIS_URL: `redis://:${redis}@redis:6379` }),
  secret('object-store-access', { S3_ACCESS_KEY: store.access, S3_SECRET_KEY: store.secret }),
  secret('object-store-configuration', {
    'config.env': `export MINIO_ROOT_USER=${store.access}\nexport MINIO_ROOT_PASSWORD=${store.secret}\n`,
  }),
]
process.stdout.write(documents.map((document) => stringify(document, { lineWidth: 0 })).join('---\n'))
