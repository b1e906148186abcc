/** The people who use the console, and their sessions. */
import type { User, UserId } from '../domain/access/user.ts'
import type { EmailAddress } from '../domain/email/address.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'

/** `hash` is the SHA-256 of the secret in the cookie. It ends at `expiresAt` unless it is used before. */
export type Session = Readonly<{ hash: string; userId: UserId; createdAt: Instant; expiresAt: Instant }>

/** A session of a user who may sign in. */
export type SignedIn = Readonly<{ session: Session; user: User }>

export type UserChange = Readonly<{
  /** Replaces the version before its own. */
  user: User
  endsSessions: boolean
  /** Whether the installation may be left without anybody who can operate it. */
  mayLeaveNoOperator: boolean
}>

/** `taken`: another user has the address. `outdated`: somebody has changed or removed the user since it was read. */
export type UserChanged = 'changed' | 'taken' | 'outdated' | 'last_operator'

export interface Users {
  /** `taken`: another user of the installation has the address. */
  add(user: User): Promise<'added' | 'taken'>

  /** Of concurrent changes of one version one succeeds. `lastSignInAt` stays as it is stored. */
  change(change: UserChange): Promise<UserChanged>

  /** Ends the sessions of the user too. */
  remove(tenantId: TenantId, id: UserId): Promise<'removed' | 'absent' | 'last_operator'>

  find(id: UserId): Promise<User | undefined>
  findByEmail(email: EmailAddress): Promise<User | undefined>
  /** By the identity provider's id. */
  findBySubject(subject: string): Promise<User | undefined>

  /** By address. */
  list(tenantId: TenantId): Promise<readonly User[]>
}

export interface Sessions {
  /** Also records the sign-in. False if the user is not active, or was changed after `version`. */
  begin(session: Session, version: number): Promise<boolean>

  /** Undefined when there is none, when it has expired, or when its user is not active. */
  find(hash: string, now: Instant): Promise<SignedIn | undefined>

  /** Moves the end of a session. */
  extend(hash: string, expiresAt: Instant): Promise<void>

  end(hash: string): Promise<void>
}
