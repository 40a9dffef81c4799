import { engineSettings } from '@parley/kit'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** A network in CIDR notation. */
export type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number]

const networks = z.string().transform((text, context): Network[] => {
  const found: Network[] = []
  for (const part of text.split(',')) {
    const network = part.trim()
    if (network === '') continue
    if (ipaddr.isValidCIDR(network)) found.push(ipaddr.parseCIDR(network))
    else context.addIssue({ code: 'custom', message: `${network} is not a network like 10.0.0.0/8` })
  }
  return found
})

/** First and last port of a range. */
export type PortRange = readonly [number, number]

const ports = z.string().transform((text, context): PortRange[] =>
  text.split(',').flatMap((part): PortRange[] => {
    const match = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part)
    const range: PortRange | undefined = match ? [Number(match[1]), Number(match[2] ?? match[1])] : undefined
    if (range === undefined || range[0] < 1 || range[1] > 65_535 || range[0] > range[1]) {
      context.addIssue({ code: 'custom', message: `${part} is not a port or a range like 1024-65535` })
      return []
    }
    return [range]
  }),
)

const dnsServers = z
  .string()
  .transform((text) => text.split(',').map((server) => server.trim()))
  .pipe(z.array(z.string().min(1)).nonempty())

export const config = z.object({
  ...engineSettings.postgres,
  ...engineSettings.kafka,
  WEBHOOK_ALLOWED_NETWORKS: networks
    .prefault('')
    .describe(
      'Networks that receivers may be in although they are not public: 10.20.0.0/16,fd00::/8. On any port.',
    ),
  WEBHOOK_ALLOWED_PORTS: ports
    .prefault('80,443,1024-65535')
    .describe('Ports on which receivers may listen, besides those of well-known other protocols.'),
  WEBHOOK_DNS_SERVERS: dnsServers
    .optional()
    .describe("Name servers to ask for receivers' addresses, instead of the system's."),
  WEBHOOK_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .default(4)
    .describe('Calls that one receiver is answering at a time, per process.'),
  WEBHOOK_CALLS: z.coerce
    .number()
    .int()
    .min(1)
    .default(4000)
    .describe('Calls under way at a time, per process; many, since most of the time is waiting.'),
  WEBHOOK_LOG_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .default(30)
    .describe('Days for which deliveries that are over stay in the log.'),
})
