/** The audit log: every change of the set-up and every access to content. Entries never change. */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import type { Actor } from './actor.ts'

/** A UUIDv7, so ids are in the order of time. */
export type AuditId = Brand<string, 'AuditId'>

/** `<resource>.<verb>`, such as `template.changed` or `message.content_read`. */
export type AuditAction = `${string}.${string}`

/** The shape of a resource in the API, without secrets and personal data. */
export type AuditSnapshot = Readonly<Record<string, unknown>>

export type AuditEntry = Readonly<{
  id: AuditId
  at: Instant
  /** Whose set-up it is; the operator's own (providers, breakers) belongs to no tenant. */
  tenantId?: TenantId
  actor: Actor
  /** The address the call came from. */
  address: string
  httpRequestId: string
  action: AuditAction
  target: Readonly<{ kind: string; id: string }>
  before?: AuditSnapshot
  after?: AuditSnapshot
}>
