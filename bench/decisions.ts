/** How fast a limiter decides on its own: three counters per decision, for tenant, account and recipient. */
import { setImmediate } from 'node:timers/promises'
import type { TenantId } from '../src/domain/ids.ts'
import type { Counter } from '../src/domain/limits/limits.ts'
import { seconds } from '../src/lib/time.ts'
import type { Limiter } from '../src/ports/limiter.ts'
import type { Options } from './options.ts'

export const WINDOW_SECONDS = 60
export const TENANT_LIMIT = 1_000_000_000
export const RECIPIENT_LIMIT = 1_000_000

const CONCURRENCY = 64
const WARM_UP = 5_000
const DECISIONS = { quick: 10_000, full: 50_000 }

/** Decisions per second: for new recipients, as in (g), and for known ones. */
export type Decisions = Readonly<{ fresh: number; known: number }>

type Deciding = Pick<Limiter, 'admit'>

export async function countDecisions(limiter: Deciding, { quick }: Pick<Options, 'quick'>): Promise<Decisions> {
  await decide(limiter, WARM_UP, (left) => left)
  const count = quick ? DECISIONS.quick : DECISIONS.full
  const rate = async (toRecipient: (left: number) => number): Promise<number> => {
    const begunAt = performance.now()
    await decide(limiter, count, toRecipient)
    return (count * 1000) / (performance.now() - begunAt)
  }
  return { fresh: await rate((left) => WARM_UP + left), known: await rate((left) => left % WARM_UP) }
}

/** Concurrent decisions, as the calls of many connections would ask for them: one batch per turn of the event loop. */
async function decide(limiter: Deciding, count: number, toRecipient: (left: number) => number): Promise<void> {
  const act = async () => ({ value: undefined, counts: true })
  const turns = openTurns()
  let left = count
  const ask = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const { kind } = await limiter.admit(countersOf(toRecipient(left)), act)
      if (kind === 'limited') throw new Error('the limit was reached unexpectedly')
      await turns.next()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, ask))
}

/** All callers share one promise per turn of the event loop, because waiting must not cost more than deciding. */
function openTurns() {
  let coming: Promise<void> | undefined
  return {
    next() {
      coming ??= setImmediate().then(() => {
        coming = undefined
      })
      return coming
    },
  }
}

const [tenantId, window] = ['demo' as TenantId, seconds(WINDOW_SECONDS)]
const WIDE = { limit: TENANT_LIMIT, window, algorithm: 'fixed' } as const
const SHARED_COUNTERS: readonly Counter[] = [
  { tenantId, scope: 'tenant', key: 'demo', rule: WIDE, version: 1 },
  { tenantId, scope: 'account', key: 'default', rule: WIDE, version: 2 },
]
const EACH_RECIPIENT = { limit: RECIPIENT_LIMIT, window, algorithm: 'fixed' } as const

const countersOf = (nth: number): readonly Counter[] => [
  ...SHARED_COUNTERS,
  { tenantId, scope: 'recipient', key: `recipient-${nth}`, rule: EACH_RECIPIENT, version: 3 },
]
