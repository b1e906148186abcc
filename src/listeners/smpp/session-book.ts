/** The sessions of a process: how many there may be per address and account, and which of them takes the next receipt. */
import type { Caller } from '../../domain/access/caller.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { Multiset } from '../../lib/multiset.ts'
import type { ReceiptDemand } from '../../ports/receipt-deliveries.ts'
import type { Session } from './session.ts'

export type SessionBounds = Readonly<{ sessionsPerAddress: number; sessionsPerAccount: number }>

type Account = Readonly<{ tenantId: TenantId; accountId: AccountId }>
const isOf = (account: Account, { bound }: Session): boolean =>
  bound?.caller.tenantId === account.tenantId && bound.caller.accountId === account.accountId

export class SessionBook {
  readonly #bounds: SessionBounds
  readonly #addresses = new Multiset<string>()
  readonly #sessions = new Set<Session>()

  constructor(bounds: SessionBounds) {
    this.#bounds = bounds
  }

  all(): readonly Session[] {
    return [...this.#sessions]
  }

  /** A connection, which may not be a session yet. False if the address has too many already. */
  enter(address: string): boolean {
    if (this.#addresses.count(address) >= this.#bounds.sessionsPerAddress) return false
    this.#addresses.add(address)
    return true
  }

  leave(address: string): void {
    this.#addresses.remove(address)
  }

  add(session: Session): void {
    this.#sessions.add(session)
  }

  remove(session: Session): void {
    this.#sessions.delete(session)
  }

  hasRoomFor({ tenantId, accountId }: Caller): boolean {
    const bound = this.all().filter((session) => isOf({ tenantId, accountId }, session))
    return bound.length < this.#bounds.sessionsPerAccount
  }

  /** How many receipts the receivers of each account can take now. */
  demands(): readonly ReceiptDemand[] {
    const demands = new Map<string, ReceiptDemand>()
    for (const { bound, room } of this.#sessions) {
      if (bound === undefined || room === 0) continue
      const { tenantId, accountId } = bound.caller
      const key = `${tenantId} ${accountId}`
      demands.set(key, { tenantId, accountId, max: room + (demands.get(key)?.max ?? 0) })
    }
    return [...demands.values()]
  }

  /** The receiver of an account that has most room. */
  next(account: Account): Session | undefined {
    let found: Session | undefined
    for (const session of this.#sessions) {
      if (session.room > (found?.room ?? 0) && isOf(account, session)) found = session
    }
    return found
  }
}
