/** The fixed things of a schedule: its routes, its providers, which processes there are, and how patient everyone is. */

import type { ProviderName, RouteId } from '../../src/domain/ids.ts'
import { BREAKER, type BreakerPolicy } from '../../src/domain/routing/breaker.ts'
import { RETRY } from '../../src/domain/routing/retry.ts'
import type { Route } from '../../src/domain/routing/routing.ts'
import type { UnknownPolicy } from '../../src/domain/routing/unknown.ts'
import { type Millis, millis, seconds } from '../../src/lib/time.ts'
import type { Chance } from './chance.ts'

export type Role = 'api' | 'worker' | 'projector' | 'repairer' | 'poller'

export type Landscape = Readonly<{
  routes: readonly Route[]
  providers: readonly Readonly<{ name: ProviderName; canBeAsked: boolean }>[]
  /** The roles of each process. One that has them all is alone. */
  processes: readonly (readonly Role[])[]
  hands: number
  /** How many calls of a process may be under way at one provider. */
  slots: number
  lease: Millis
  jobLease: Millis
  timeout: Millis
  patience: Millis
  breaker: BreakerPolicy
  /** Whether processes remember what they wrote, and so see what others wrote only when they conflict with it. */
  remembers: boolean
}>

/** How often the repairer, the poller and the gatekeepers look round. */
export type Pace = Readonly<{ repairMs: number; pollMs: number; gatesMs: number }>
export const LIVELY: Pace = { repairMs: 10_000, pollMs: 20_000, gatesMs: 1_000 }
/** For the days of waiting for a receipt that never comes. */
export const SLOW: Pace = { repairMs: 4 * 3_600_000, pollMs: 4 * 3_600_000, gatesMs: 4 * 3_600_000 }

/** One for each policy, and one that leaves it to the lane. */
export const PREFIX = { hold: '+1', resend: '+2', failover: '+3', lane: '+4' } as const
const ROUTES = ['hold', 'resend', 'failover', 'lane'] as const satisfies readonly (UnknownPolicy | 'lane')[]
export const PREFIXES = ROUTES.map((name) => PREFIX[name])

const ALONE: readonly (readonly Role[])[] = [['api', 'worker', 'projector', 'repairer', 'poller']]
const MANY: readonly (readonly (readonly Role[])[])[] = [
  [
    ['api', 'worker', 'projector', 'repairer', 'poller'],
    ['api', 'worker', 'projector', 'repairer', 'poller'],
  ],
  [['api'], ['worker'], ['worker'], ['projector', 'repairer', 'poller']],
  [['api'], ['api', 'worker'], ['worker'], ['worker'], ['projector'], ['repairer'], ['poller']],
]

const ALPHA = 'alpha' as ProviderName
const BETA = 'beta' as ProviderName

export function toLandscape(chance: Chance): Landscape {
  const [first, second] = chance.happens(0.5) ? [ALPHA, BETA] : [BETA, ALPHA]
  const route = (name: (typeof ROUTES)[number]): Route => ({
    id: name as string as RouteId,
    channel: 'sms',
    prefix: PREFIX[name],
    providers: chance.happens(0.3) ? [first] : [first, second],
    ...(name === 'lane'
      ? {}
      : {
          unknown: {
            wait: seconds(chance.pick([3, 10, 30])),
            policy: name,
            giveUp: seconds(chance.pick([60, 600, 72 * 3_600])),
          },
        }),
    ...(chance.happens(0.3) ? { retry: { ...RETRY.sms, failover: true } } : {}),
  })
  return {
    routes: ROUTES.map(route),
    providers: [ALPHA, BETA].map((name) => ({ name, canBeAsked: chance.happens(0.6) })),
    processes: chance.happens(0.3) ? ALONE : chance.pick(MANY),
    hands: chance.pick([1, 2, 8]),
    slots: chance.pick([1, 2, 8]),
    lease: seconds(20),
    jobLease: seconds(chance.pick([4, 25])),
    timeout: seconds(5),
    patience: millis(chance.pick([2_000, 15_000])),
    // A schedule has few messages: with fewer failures it opens in more of them.
    breaker: { ...BREAKER, failures: chance.pick([1, 2, 5]), lease: seconds(20) },
    remembers: chance.happens(0.5),
  }
}

export const isAlone = ({ processes }: Landscape): boolean => processes.length === 1
