/** People who use the console, and what their roles permit. */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import type { EmailAddress } from '../email/address.ts'
import type { TenantId } from '../ids.ts'
import type { Scope } from './scope.ts'

export type UserId = Brand<string, 'UserId'>

/** Each includes what the ones before it may do, except that only support, admins and operators may open content. */
export const ROLES = ['viewer', 'support', 'developer', 'admin', 'operator'] as const
export type Role = (typeof ROLES)[number]

export const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['messages:read'],
  support: ['messages:read', 'messages:write', 'content:read'],
  developer: ['sms:send', 'email:send', 'otp', 'messages:read', 'messages:write'],
  admin: ['admin'],
  operator: ['operator'],
}

export type User = Readonly<{
  id: UserId
  tenantId: TenantId
  /** Unique in the whole installation: people sign in with it. */
  email: EmailAddress
  name?: string
  role: Role
  state: 'active' | 'disabled'
  /** How the user signs in. */
  signIn: SignIn
  createdAt: Instant
  updatedAt: Instant
  lastSignInAt?: Instant
}>

/** `password` is an encoded scrypt hash; without one the user has not accepted the invitation yet. */
export type SignIn = Readonly<{ kind: 'password'; password?: string } | { kind: 'oidc'; subject?: string }>
