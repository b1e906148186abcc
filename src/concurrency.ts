/** How many jobs a process works on at once, and how many calls it makes of each provider at once. */
import type { Config } from './config/config.ts'
import { ProviderSlots } from './flows/send/provider-slots.ts'
import { type Millis, millis } from './lib/time.ts'

type OfProfile<Value> = Readonly<Record<Config['profile'], Value>>

/** The default of POMBO_CONCURRENCY. In a cluster more come with more workers. */
const CALLS: OfProfile<number> = { embedded: 512, cluster: 64 }
/** Hands for so many providers: more that hang at the same time would hold up the rest after all. */
const MOST_PROVIDERS = 8
/** Of the slots at one provider, the share that is kept for codes, and again for what was sent away before. */
const KEPT = 1 / 8
/** In a cluster a job that is back within a second counts as in hand meanwhile, and a line has only so many of those. */
const SOONEST: OfProfile<Millis> = { embedded: millis(250), cluster: millis(1_250) }

type Known = Pick<Config, 'profile' | 'concurrency' | 'providers'>

const callsOf = ({ profile, concurrency }: Known): number => concurrency ?? CALLS[profile]

export const concurrencyOf = (config: Known): number =>
  callsOf(config) * Math.min(Math.max(config.providers.length, 1), MOST_PROVIDERS)

/** A provider that is alone gets all hands, so there is always a slot, and none is kept. */
export function slotsOf(config: Known): ProviderSlots {
  const size = callsOf(config)
  const kept = config.providers.length > 1 ? Math.floor(size * KEPT) : 0
  return new ProviderSlots({ size, kept, soonest: SOONEST[config.profile] })
}
