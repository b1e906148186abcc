/** Limits how often a tenant may call a route, in this process. */
import type { onRequestHookHandler } from 'fastify'
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { Throttled } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { type BucketRule, TokenBuckets } from '../../lib/token-bucket.ts'
import { callerOf } from './context.ts'

/** `what` is in the plural: it completes "More than 10 … a second". */
export type Throttle = Pick<BucketRule, 'perSecond' | 'capacity'> & Readonly<{ what: string }>

/** A hook for after the guard. It refuses before the body is read. */
export function throttleTenants({ what, ...rule }: Throttle, clock: Clock): onRequestHookHandler {
  const buckets = new TokenBuckets<TenantId>(rule)
  const detail = `More than ${rule.perSecond} ${what} a second`
  return (request, _reply, done) => {
    const tenantId = liveTenantOf(callerOf(request).tenantId)
    const at = clock()
    const wait = buckets.wait(tenantId, at)
    if (wait > 0) return done(new Throttled(detail, wait))
    buckets.take(tenantId, at)
    done()
  }
}
