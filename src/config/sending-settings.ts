/** Settings about calling others: providers with messages, customers with webhooks. */
import { Type } from 'typebox'
import { parseNetworks } from '../providers/address-guard.ts'
import { checked, whole } from './setting.ts'

export const SENDING_SETTINGS = {
  concurrency: Type.Optional(
    whole(1, 65_536, {
      env: 'POMBO_CONCURRENCY',
      description:
        'How many calls may be in flight at one provider at once: 512 in the embedded profile, 64 in each worker of a cluster. More of them hide the latency of a provider; fewer let an urgent message pass sooner. Where there are several providers an eighth is kept for one-time codes, and one that hangs does not hold up the others.',
    }),
  ),
  breakerFailures: whole(1, 1_000_000, {
    env: 'POMBO_BREAKER_FAILURES',
    default: 5,
    description: 'After so many failures in a row a provider is left alone for a while.',
  }),
  breakerSeconds: whole(1, 3600, {
    env: 'POMBO_BREAKER_SECONDS',
    default: 30,
    description: 'For how long, before one call tries it out.',
  }),
  providerTimeoutSeconds: whole(1, 600, {
    env: 'POMBO_PROVIDER_TIMEOUT_SECONDS',
    default: 30,
    description: 'How long a provider may take to answer before the outcome counts as unknown.',
  }),
  webhookNetworks: Type.Optional(
    checked(
      {
        env: 'POMBO_WEBHOOK_NETWORKS',
        must: 'networks such as 10.0.0.0/8 or fd00::/8, with commas between them',
        description:
          'The networks that webhooks may be sent to though they are not public. Customers name the addresses, so without it none of your own network is called.',
      },
      (value) => parseNetworks(value) !== undefined,
    ),
  ),
  shutdownSeconds: whole(0, 3600, {
    env: 'POMBO_SHUTDOWN_SECONDS',
    default: 30,
    description: 'How long a stopping Pombo waits for what is in flight before it hands the rest back.',
  }),
}
