/**
 * How much large content the API has in hand at once: bodies that it reads, mails that it makes of templates, and what
 * it shows. Each is in memory several times while it is read, checked and stored; who comes when there is no room is
 * asked to come again. One tenant has half of it at most, so that nobody shuts the others out.
 */

import type { TenantId } from '../../domain/ids.ts'
import { MemoryBudget } from '../../lib/memory-budget.ts'
import { Unavailable } from '../../ports/unavailable.ts'

const KILOBYTE = 1024
/** In bytes, or characters: so much is not counted where it comes alone. */
export const LIGHT = 64 * KILOBYTE
const ROOM_KILOBYTES = 32 * KILOBYTE

type Leave = () => void

export class BodyBudget {
  readonly #all: MemoryBudget
  readonly #share: number
  readonly #shares = new Map<TenantId, { readonly budget: MemoryBudget; taken: number }>()

  constructor(kilobytes = ROOM_KILOBYTES) {
    this.#all = new MemoryBudget(kilobytes)
    this.#share = kilobytes / 2
  }

  /** What is to be called once, when it is not in hand any more. What is light need not be counted. */
  take(tenantId: TenantId, bytes: number): Leave {
    const weight = Math.ceil(bytes / KILOBYTE)
    const share = this.#shares.get(tenantId) ?? { budget: new MemoryBudget(this.#share), taken: 0 }
    const leaveShare = share.budget.take(weight)
    const leaveAll = leaveShare && this.#all.take(weight)
    if (leaveShare === undefined || leaveAll === undefined) {
      leaveShare?.()
      throw new Unavailable('too much large content is in hand at once')
    }
    share.taken += 1
    this.#shares.set(tenantId, share)
    return () => {
      leaveAll()
      leaveShare()
      share.taken -= 1
      if (share.taken === 0) this.#shares.delete(tenantId)
    }
  }
}
