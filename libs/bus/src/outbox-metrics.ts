import type { Database } from '@parley/db'
import { Gauge } from 'prom-client'

/** Rows above which the exact number does not matter any more, and counting would cost. */
const countLimit = 100_000

interface Watched {
  readonly service: string
  readonly database: Database
}
const watched = new Set<Watched>()

interface Sample {
  readonly service: string
  readonly waiting: number
  readonly age: number
}

/** An outbox whose database does not answer has no value, rather than an old one. */
const samples = async (): Promise<Sample[]> => {
  const taken = await Promise.allSettled(
    [...watched].map(async ({ service, database }) => {
      const [row] = await database.sql<[{ waiting: number; age: number }]>`
        SELECT (SELECT count(*) FROM (SELECT FROM outbox LIMIT ${countLimit}) AS counted)::int AS waiting,
               coalesce((
                 SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 FROM outbox ORDER BY id LIMIT 1
               ), 0) AS age`
      return { service, ...row }
    }),
  )
  return taken.flatMap((sample) => (sample.status === 'fulfilled' ? [sample.value] : []))
}

const oldest = new Gauge({
  name: 'parley_outbox_oldest_seconds',
  help: 'Age of the oldest announcement that is not published, as of the last scrape.',
  labelNames: ['service'],
})

new Gauge({
  name: 'parley_outbox_depth',
  help: `Announcements that are not published, up to ${countLimit}, as of this scrape.`,
  labelNames: ['service'],
  async collect() {
    this.reset()
    oldest.reset()
    for (const { service, waiting, age } of await samples()) {
      this.set({ service }, waiting)
      oldest.set({ service }, age)
    }
  },
})

/** Has the outbox of this database measured with every scrape, until the returned function is called. */
export const watchOutbox = (service: string, database: Database): (() => void) => {
  const entry = { service, database }
  watched.add(entry)
  return () => void watched.delete(entry)
}
