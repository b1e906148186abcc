/**
 * Bounds the memory that large content takes in the API: request bodies, rendered templates and answers. Each is in
 * memory several times while we read, check and store it. One tenant may use half of the budget at most: beyond that it
 * gets a 429, and a 503 when all tenants together have used it up. Either way the caller retries. A little more is kept
 * for tenants that have little, so that two others cannot shut them out.
 */
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { Unavailable } from '../../ports/unavailable.ts'

const KILOBYTE = 1024
/** Single bodies and texts up to this size (in bytes or characters) are not counted. */
export const SMALL_BYTES = 64 * KILOBYTE
const BUDGET_KILOBYTES = 32 * KILOBYTE
/** The part of the budget that a tenant may have even if others have used it all up. */
const GUARANTEED = 1 / 16
/** What tenants may have in that way together, as a part of the budget. */
const IN_RESERVE = 1 / 2

type Release = () => void

/** Memory that is counted until it is released. `resize` corrects an estimate; it is never refused. */
export type Reservation = Readonly<{ resize: (bytes: number) => void; release: Release }>

export class TenantMemoryBudget {
  readonly #capacity: number
  readonly #share: number
  readonly #tenants = new Map<TenantId, number>()
  #used = 0

  constructor(kilobytes = BUDGET_KILOBYTES) {
    this.#capacity = kilobytes * KILOBYTE
    this.#share = this.#capacity / 2
  }

  /** Call the result once, when the memory is free again. */
  reserve(tenantId: TenantId, bytes: number): Release {
    return this.hold(tenantId, bytes).release
  }

  /** Content larger than all of its budget is admitted alone. A tenant and its test tenant share. */
  hold(tenantId: TenantId, bytes: number): Reservation {
    const tenant = liveTenantOf(tenantId)
    const ofTenant = this.#tenants.get(tenant) ?? 0
    if (ofTenant > 0 && ofTenant + bytes > this.#share) {
      throw refuse('TOO_MANY_REQUESTS', 'The large requests and answers of this tenant use up its share of the memory')
    }
    const isGuaranteed = ofTenant + bytes <= this.#capacity * GUARANTEED
    const capacity = this.#capacity * (isGuaranteed ? 1 + IN_RESERVE : 1)
    if (this.#used > 0 && this.#used + bytes > capacity) {
      throw new Unavailable('the memory budget for large content is used up')
    }
    let held = 0
    const resize = (to: number): void => {
      this.#count(tenant, to - held)
      held = to
    }
    resize(bytes)
    return { resize, release: () => resize(0) }
  }

  #count(tenant: TenantId, bytes: number): void {
    this.#used += bytes
    const ofTenant = (this.#tenants.get(tenant) ?? 0) + bytes
    if (ofTenant === 0) this.#tenants.delete(tenant)
    else this.#tenants.set(tenant, ofTenant)
  }
}
