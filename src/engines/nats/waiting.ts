/** How many messages of a tenant are waiting, counted at the broker because all processes share the queues. */
import type { TenantId } from '../../domain/ids.ts'
import type { JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'

/**
 * Jobs that are ready, delayed, parked or being processed. Those that were handed straight to a worker are in no stream:
 * a few hundred in each worker at most.
 */
export const countWaiting = (js: JetStream, names: Names, tenantId: TenantId): Promise<number> =>
  js.count(names.jobsOf(tenantId), names.anyJobOf(tenantId))
