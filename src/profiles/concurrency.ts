/** How many jobs a process works on at once, and how many calls it makes to each provider at once. */
import type { Config } from '../config/config.ts'
import { ProviderSlots } from '../domain/routing/provider-slots.ts'
import { type Millis, millis } from '../lib/time.ts'

type PerProfile<Value> = Readonly<Record<Config['profile'], Value>>

/** The default of POMBO_CONCURRENCY. A cluster scales by adding workers. */
const CALLS_PER_PROVIDER: PerProfile<number> = { embedded: 512, cluster: 64 }
/** A process has jobs for at most this many providers: if more hang at once, they delay the others after all. */
const MAX_PROVIDERS = 8
/** The share of a provider's slots that is reserved for one-time codes, and again for jobs that found none before. */
const RESERVED = 1 / 8
/** In a cluster a job that is due within a second still counts as in flight, and each tenant queue has few of those. */
const MIN_RETRY_DELAY: PerProfile<Millis> = { embedded: millis(250), cluster: millis(1_250) }

type ConcurrencyConfig = Pick<Config, 'profile' | 'concurrency' | 'providers'>

const callsPerProvider = ({ profile, concurrency }: ConcurrencyConfig): number =>
  concurrency ?? CALLS_PER_PROVIDER[profile]

export const concurrencyOf = (config: ConcurrencyConfig): number =>
  callsPerProvider(config) * Math.min(Math.max(config.providers.length, 1), MAX_PROVIDERS)

/** A single provider has a slot for every job, so nothing needs to be reserved. */
export function slotsOf(config: ConcurrencyConfig): ProviderSlots {
  const size = callsPerProvider(config)
  const reserved = config.providers.length > 1 ? Math.floor(size * RESERVED) : 0
  return new ProviderSlots({ size, reserved, soonest: MIN_RETRY_DELAY[config.profile] })
}
