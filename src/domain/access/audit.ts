/** The audit log: every change of the set-up and every access to content. Entries never change. */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import { lowestUuidV7At } from '../../lib/uuid-v7.ts'
import type { TenantId } from '../ids.ts'
import type { Actor } from './actor.ts'

/** A UUIDv7, so ids are in the order of time. */
export type AuditId = Brand<string, 'AuditId'>

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const parseAuditId = (text: string): AuditId | undefined => (UUID_V7.test(text) ? (text as AuditId) : undefined)

/** The lowest id of this time: that of any earlier entry is lower. */
export const lowestAuditIdAt = (at: Instant): AuditId => lowestUuidV7At(at) as AuditId

/** `<resource>.<verb>`, such as `template.changed` or `message.content_read`. */
export type AuditAction = `${string}.${string}`

/** What identifies an actor: the id of a user or an API key, or the subject of a token. */
export function idOfActor(actor: Actor): string | undefined {
  switch (actor.kind) {
    case 'token':
      return actor.subject
    case 'api_key':
    case 'user':
      return actor.id
    case 'anonymous':
      return undefined
  }
}

/** The shape of a resource in the API, without secrets and personal data. */
export type AuditSnapshot = Readonly<Record<string, unknown>>

export type AuditEntry = Readonly<{
  id: AuditId
  at: Instant
  /** Whose set-up it is; the operator's own (providers, breakers) belongs to no tenant. */
  tenantId?: TenantId
  actor: Actor
  /** The tenant of the actor, if it is another: operators act for tenants that are not their own, or for none. */
  actorTenantId?: TenantId
  /** The address the call came from. */
  address: string
  httpRequestId: string
  action: AuditAction
  target: Readonly<{ kind: string; id: string }>
  before?: AuditSnapshot
  after?: AuditSnapshot
}>
