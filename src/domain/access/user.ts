/** People who use the console, and what their roles permit. */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import type { EmailAddress } from '../email/address.ts'
import { parseMessageId, type TenantId } from '../ids.ts'
import type { Scope } from './scope.ts'

export type UserId = Brand<string, 'UserId'>

/** UUIDs, like message ids. */
export const parseUserId = (text: string): UserId | undefined => parseMessageId(text) as string as UserId | undefined

/** Each includes what the ones before it may do, except that only support, admins and operators may open content. */
export const ROLES = ['viewer', 'support', 'developer', 'admin', 'operator'] as const
export type Role = (typeof ROLES)[number]

const MAX_NAME_LENGTH = 200

export function parseUserName(text: string): string | undefined {
  const name = text.trim()
  return /^\P{C}+$/u.test(name) && name.length <= MAX_NAME_LENGTH ? name : undefined
}

export const parseRole = (text: string): Role | undefined => ROLES.find((role) => role === text)

export const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['messages:read'],
  support: ['messages:read', 'messages:write', 'content:read'],
  developer: ['sms:send', 'email:send', 'otp', 'messages:read', 'messages:write'],
  admin: ['admin'],
  operator: ['operator'],
}

export const USER_STATES = ['active', 'disabled'] as const

export type User = Readonly<{
  id: UserId
  tenantId: TenantId
  /** Unique in the whole installation: people sign in with it. In lower case. */
  email: EmailAddress
  name?: string
  role: Role
  state: (typeof USER_STATES)[number]
  /** How the user signs in. */
  signIn: SignIn
  /** Until it is accepted or expires. */
  invitation?: Invitation
  /** Rises by one with every change; 1 for a new user. */
  version: number
  createdAt: Instant
  updatedAt: Instant
  /** Recorded when a session begins, which is no change. */
  lastSignInAt?: Instant
}>

/** `password` is an encoded scrypt hash; without one the user has not accepted the invitation yet. */
export type SignIn = Readonly<{ kind: 'password'; password?: string } | { kind: 'oidc'; subject?: string }>

/** `hash` is the SHA-256 of the secret in the link. */
export type Invitation = Readonly<{ hash: string; expiresAt: Instant }>

/** Somebody who was invited, or whom the identity provider has not named yet, cannot sign in. */
export const canSignIn = ({ state, signIn }: User): boolean =>
  state === 'active' && (signIn.kind === 'password' ? signIn.password : signIn.subject) !== undefined

/** An installation keeps at least one user of whom this is true. */
export const canOperate = (user: User): boolean => user.role === 'operator' && canSignIn(user)

/** Whether the sessions of a user end with a change. */
export const endsSessions = (before: User, after: User): boolean =>
  before.role !== after.role ||
  before.tenantId !== after.tenantId ||
  before.signIn.kind !== after.signIn.kind ||
  !canSignIn(after)

/** The user with changes, as its next version. */
export const withChanges = (user: User, changes: Partial<User>, at: Instant): User => ({
  ...user,
  ...changes,
  version: user.version + 1,
  updatedAt: at,
})

/** The user without its invitation, which can be used once. */
export function withoutInvitation({ invitation: _, ...user }: User): User {
  return user
}
