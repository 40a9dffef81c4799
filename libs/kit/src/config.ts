import { type Issuer, type ServiceName, serviceNames } from '@parley/contracts'
import { z } from 'zod'

/** `true`/`false`, `on`/`off`, `1`/`0` in the environment. */
export const flag = z.stringbool()

const urls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim().replace(/\/$/, '')))
  .pipe(z.array(z.url()).nonempty())

export const urlSetting = (service: ServiceName): string =>
  `${service.toUpperCase().replaceAll('-', '_')}_URL`

/** Where the other services answer internal calls: `IDENTITY_URL`, ... each one URL or several with commas. */
const serviceUrls = Object.fromEntries(
  serviceNames.map((name) => [
    urlSetting(name),
    urls.optional().describe(`Internal base URLs of ${name}, separated by commas.`),
  ]),
)

/** What every service reads from its environment. */
export const baseConfig = z.object({
  MODE: z
    .enum(['development', 'production'])
    .default('production')
    .describe('Development opens conveniences that production refuses.'),
  HOST: z.string().default('0.0.0.0').describe('Address to listen on.'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Port of the HTTP interface.'),
  OPS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(9090)
    .describe('Port of /health, /ready and /metrics.'),
  PUBLIC_URL: z
    .url()
    .transform((url) => url.replace(/\/$/, ''))
    .describe('Address of the root organization; others live at subdomains of its host.'),
  SIGNING_KEY: z.string().min(1).describe("This service's Ed25519 private key: base64 of PKCS8 DER."),
  TRUSTED_KEYS: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' })
        return z.NEVER
      }
    })
    .pipe(z.record(z.string(), z.string()))
    .describe('JSON object: the Ed25519 public key (base64 of SPKI DER) of each service and of manage.'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe log lines.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('Where traces go (OTLP over HTTP); none when unset.'),
  TRACE_RATIO: z.coerce.number().min(0).max(1).default(0.05).describe('Share of requests that are traced.'),
  CHECK_REPLIES: flag.default(false).describe('Check every reply against its contract (tests).'),
  SHUTDOWN_SECONDS: z.coerce
    .number()
    .positive()
    .default(25)
    .describe('How long a staged shutdown may take before the process ends anyway.'),
  ...serviceUrls,
})

export type BaseConfig = z.output<typeof baseConfig>

/** The environment does not hold what the service needs; the message names each setting. */
export class ConfigError extends Error {}

/**
 * Reads a service's configuration; unknown variables are left alone.
 *
 * @throws ConfigError naming every setting that is missing or wrong.
 */
export const readConfig = <Shape extends z.ZodRawShape>(
  own: z.ZodObject<Shape>,
  environment: Record<string, string | undefined>,
): BaseConfig & z.output<z.ZodObject<Shape>> => {
  const outcome = z.object({ ...baseConfig.shape, ...own.shape }).safeParse(environment)
  if (outcome.success) return outcome.data as unknown as BaseConfig & z.output<z.ZodObject<Shape>>
  const findings = outcome.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(`Configuration is wrong. ${findings.join('; ')}`)
}

/** The settings of the engines; a service spreads those of the engines that it opens into its own schema. */
export const engineSettings = {
  postgres: {
    DATABASE_URL: z.string().min(1).describe("Postgres: this service's own database, as its own role."),
    DATABASE_POOL: z.coerce
      .number()
      .int()
      .min(2)
      .default(10)
      .describe('Most Postgres connections per process.'),
  },
  kafka: {
    KAFKA_BROKERS: z
      .string()
      .min(1)
      .transform((text) => text.split(','))
      .describe('Kafka bootstrap servers, separated by commas.'),
    KAFKA_CA_FILE: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File with the certificates (PEM) that sign the brokers'; connections are TLS when it is set.",
      ),
    KAFKA_USERNAME: z.string().min(1).optional().describe('Kafka user (SCRAM-SHA-512).'),
    KAFKA_PASSWORD: z.string().min(1).optional().describe("That user's password."),
    CLIENT_EVENTS_PARTITIONS: z.coerce
      .number()
      .int()
      .positive()
      .default(4)
      .describe('Shards of client events; the partition count of the topic client-events.'),
  },
  redis: { REDIS_URL: z.string().min(1).describe('Redis.') },
} as const

export const issuerNames: readonly Issuer[] = [...serviceNames, 'manage']
