/** Settings of outgoing calls: to providers, webhook endpoints and DNS servers. */
import { Type } from 'typebox'
import { parseNetworks } from '../lib/networks.ts'
import { parseDnsServers } from './dns-servers.ts'
import { checked, whole } from './setting.ts'

export const SENDING_SETTINGS = {
  concurrency: Type.Optional(
    whole(1, 65_536, {
      env: 'POMBO_CONCURRENCY',
      description:
        'The maximum number of calls in flight per provider (default: 512 in the embedded profile, 64 per worker in a cluster). A higher value hides the latency of a provider; a lower value lets urgent messages overtake sooner. With several providers an eighth of these slots is reserved for one-time codes, and a provider that hangs does not delay the others.',
    }),
  ),
  breakerFailures: whole(1, 1_000_000, {
    env: 'POMBO_BREAKER_FAILURES',
    default: 5,
    description: 'The number of consecutive failures that opens the circuit breaker of a provider.',
  }),
  breakerSeconds: whole(1, 3600, {
    env: 'POMBO_BREAKER_SECONDS',
    default: 30,
    description: 'How long the circuit breaker stays open before a trial call.',
  }),
  providerTimeoutSeconds: whole(1, 600, {
    env: 'POMBO_PROVIDER_TIMEOUT_SECONDS',
    default: 30,
    description: 'The timeout of a call to a provider. After it, the outcome of the attempt is unknown.',
  }),
  webhookNetworks: Type.Optional(
    checked(
      {
        env: 'POMBO_WEBHOOK_NETWORKS',
        must: 'networks such as 10.0.0.0/8 or fd00::/8, separated by commas',
        description:
          'Private networks that webhooks may be sent to. Customers choose the URLs, so by default Pombo calls only public addresses.',
      },
      (value) => parseNetworks(value) !== undefined,
    ),
  ),
  dnsServers: Type.Optional(
    checked(
      {
        env: 'POMBO_DNS_SERVERS',
        must: 'IP addresses such as 192.0.2.53, 127.0.0.1:5353 or [::1]:5353, separated by commas',
        description: 'The DNS servers that the domains of tenants are verified with (default: those of the system).',
      },
      (value) => parseDnsServers(value) !== undefined,
    ),
  ),
  shutdownSeconds: whole(0, 3600, {
    env: 'POMBO_SHUTDOWN_SECONDS',
    default: 30,
    description: 'How long a graceful shutdown waits for calls in flight.',
  }),
}
