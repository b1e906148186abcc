/**
 * Bounds the memory that large content takes in the API: request bodies, rendered templates and responses. Each is in
 * memory several times while we read, check and store it. A request that does not fit gets a 503 and retries. One
 * tenant may use half of the budget at most.
 */

import type { TenantId } from '../../domain/ids.ts'
import { MemoryBudget } from '../../lib/memory-budget.ts'
import { Unavailable } from '../../ports/unavailable.ts'

const KILOBYTE = 1024
/** Single bodies and texts up to this size (in bytes or characters) are not counted. */
export const SMALL_BYTES = 64 * KILOBYTE
const BUDGET_KILOBYTES = 32 * KILOBYTE

type Release = () => void

export class TenantMemoryBudget {
  readonly #total: MemoryBudget
  readonly #tenantKilobytes: number
  readonly #tenants = new Map<TenantId, { readonly budget: MemoryBudget; reservations: number }>()

  constructor(kilobytes = BUDGET_KILOBYTES) {
    this.#total = new MemoryBudget(kilobytes)
    this.#tenantKilobytes = kilobytes / 2
  }

  /** Call the result once, when the memory is free again. */
  reserve(tenantId: TenantId, bytes: number): Release {
    const kilobytes = Math.ceil(bytes / KILOBYTE)
    const tenant = this.#tenants.get(tenantId) ?? { budget: new MemoryBudget(this.#tenantKilobytes), reservations: 0 }
    const releaseTenant = tenant.budget.take(kilobytes)
    const releaseTotal = releaseTenant && this.#total.take(kilobytes)
    if (releaseTenant === undefined || releaseTotal === undefined) {
      releaseTenant?.()
      throw new Unavailable('the memory budget for large content is used up')
    }
    tenant.reservations += 1
    this.#tenants.set(tenantId, tenant)
    return () => {
      releaseTotal()
      releaseTenant()
      tenant.reservations -= 1
      if (tenant.reservations === 0) this.#tenants.delete(tenantId)
    }
  }
}
