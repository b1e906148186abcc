/** The configuration of a schedule: routes, providers, processes and timeouts. */

import type { ProviderName, RouteId } from '../../src/domain/ids.ts'
import { BREAKER, type BreakerPolicy } from '../../src/domain/routing/breaker.ts'
import { RETRY } from '../../src/domain/routing/retry.ts'
import type { Route } from '../../src/domain/routing/routing.ts'
import type { UnknownPolicy } from '../../src/domain/routing/unknown.ts'
import { type Millis, millis, seconds } from '../../src/lib/time.ts'
import type { SeededRandom } from './random.ts'

export type Role = 'api' | 'worker' | 'projector' | 'repairer' | 'poller'

export type Scenario = Readonly<{
  routes: readonly Route[]
  providers: readonly Readonly<{ name: ProviderName; supportsLookup: boolean }>[]
  /** The roles of each process. A single process has all of them. */
  processes: readonly (readonly Role[])[]
  concurrency: number
  /** The number of concurrent calls of a process to one provider. */
  slots: number
  lease: Millis
  jobLease: Millis
  timeout: Millis
  recoverAfter: Millis
  breaker: BreakerPolicy
}>

/** The intervals of the repairer, the poller and the gatekeepers. */
export type Intervals = Readonly<{ repairMs: number; pollMs: number; gatesMs: number }>
export const FAST: Intervals = { repairMs: 10_000, pollMs: 20_000, gatesMs: 1_000 }
/** For the days of waiting for a receipt that never arrives. */
export const SLOW: Intervals = { repairMs: 4 * 3_600_000, pollMs: 4 * 3_600_000, gatesMs: 4 * 3_600_000 }

/** One route for each policy, and one without a policy, which uses the default of the lane. */
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

export function drawScenario(random: SeededRandom): Scenario {
  const [first, second] = random.happens(0.5) ? [ALPHA, BETA] : [BETA, ALPHA]
  const route = (name: (typeof ROUTES)[number]): Route => ({
    id: name as string as RouteId,
    channel: 'sms',
    prefix: PREFIX[name],
    providers: random.happens(0.3) ? [first] : [first, second],
    ...(name === 'lane'
      ? {}
      : {
          unknown: {
            wait: seconds(random.pick([3, 10, 30])),
            policy: name,
            giveUp: seconds(random.pick([60, 600, 72 * 3_600])),
          },
        }),
    ...(random.happens(0.3) ? { retry: { ...RETRY.sms, failover: true } } : {}),
  })
  return {
    routes: ROUTES.map(route),
    providers: [ALPHA, BETA].map((name) => ({ name, supportsLookup: random.happens(0.6) })),
    processes: random.happens(0.3) ? ALONE : random.pick(MANY),
    concurrency: random.pick([1, 2, 8]),
    slots: random.pick([1, 2, 8]),
    lease: seconds(20),
    jobLease: seconds(random.pick([4, 25])),
    timeout: seconds(5),
    recoverAfter: millis(random.pick([2_000, 15_000])),
    // A schedule has few messages: a low threshold opens the breaker in more schedules.
    breaker: { ...BREAKER, failures: random.pick([1, 2, 5]), lease: seconds(20) },
  }
}

export const isAlone = ({ processes }: Scenario): boolean => processes.length === 1
