/**
 * The environment for a system of a test's own: without the engines of the one that other tests share, which must not be taken
 * for its own.
 */
export const ownEnvironment = (): NodeJS.ProcessEnv => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...env } = process.env
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT']) delete env[name]
  // The test runner has a variable MODE of its own.
  return { ...env, MODE: 'development', LOG_LEVEL: 'warn' }
}
