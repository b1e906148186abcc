/** The people who use the console, and their sessions. */
import type { User, UserId } from '../domain/access/user.ts'
import type { EmailAddress } from '../domain/email/address.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'

/** `hash` is the SHA-256 of the token in the cookie. */
export type Session = Readonly<{ hash: string; userId: UserId; createdAt: Instant; expiresAt: Instant }>

export interface Users {
  /** `taken`: another user of the installation has the address. */
  add(user: User): Promise<'added' | 'taken'>
  /** Replaces a user; `absent` when it does not exist. */
  change(user: User): Promise<'changed' | 'taken' | 'absent'>
  /** True if it existed. Ends its sessions. */
  remove(tenantId: TenantId, id: UserId): Promise<boolean>
  find(id: UserId): Promise<User | undefined>
  findByEmail(email: EmailAddress): Promise<User | undefined>
  /** By address. */
  list(tenantId: TenantId): Promise<readonly User[]>
}

export interface Sessions {
  begin(session: Session): Promise<void>
  /** The session and its user; undefined when it does not exist or has expired. */
  find(hash: string, now: Instant): Promise<Readonly<{ session: Session; user: User }> | undefined>
  end(hash: string): Promise<void>
  /** Ends all sessions of a user. */
  endAll(userId: UserId): Promise<void>
}
