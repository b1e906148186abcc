/**
 * How routes record what they did. A route declares its actions in its schema, so that the OpenAPI document shows them,
 * and its handler calls `audit` once the change has taken effect, before it answers.
 */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Actor } from '../../domain/access/actor.ts'
import type { AuditAction, AuditEntry } from '../../domain/access/audit.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Ids } from '../../ports/world.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import { toBounded } from './snapshots.ts'

declare module 'fastify' {
  interface FastifySchema {
    'x-audit'?: readonly AuditAction[]
    'x-audit-sometimes'?: readonly AuditAction[]
  }
  interface FastifyRequest {
    isAudited?: boolean
  }
}

/** Part of the schema of a route: every successful call records one of these actions. */
export const audited = (...actions: readonly AuditAction[]) => ({ 'x-audit': actions })

/** Part of the schema of a route: some calls record one of these actions. */
export const sometimesAudited = (...actions: readonly AuditAction[]) => ({ 'x-audit-sometimes': actions })

export type Deed = Pick<AuditEntry, 'action' | 'target' | 'before' | 'after'> &
  Readonly<{
    /** Whose set-up it is, if not that of the caller's tenant; null for the operator's own. */
    tenantId?: TenantId | null
    /** Who did it, where nobody is signed in yet. */
    actor?: Actor
  }>

/**
 * Rejects with a refusal if the entry cannot be stored: then the caller reads that the change took effect and is not
 * recorded.
 */
export type Audit = (request: FastifyRequest, deed: Deed) => Promise<void>

export type AuditDeps = Readonly<{
  auditLog: Pick<AuditLog, 'append'>
  ids: Pick<Ids, 'auditId'>
  clock: Clock
  logger: Logger
}>

export function auditWith(deps: AuditDeps): Audit {
  const { auditLog, logger } = deps
  return async (request, deed) => {
    const { action, target } = deed
    if (!actionsOf(request).includes(action)) throw new Error(`the route does not declare the action ${action}`)
    try {
      await auditLog.append(toEntry(deps, request, deed))
    } catch (err) {
      const fields = { ...toLogFields(request), action, target, err }
      logger.error(fields, 'audit: entry not stored')
      throw notRecorded(request)
    }
    request.isAudited = true
  }
}

function actionsOf({ routeOptions: { schema } }: FastifyRequest): readonly AuditAction[] {
  return [...(schema?.['x-audit'] ?? []), ...(schema?.['x-audit-sometimes'] ?? [])]
}

function toEntry({ ids, clock }: AuditDeps, request: FastifyRequest, deed: Deed): AuditEntry {
  const at = clock()
  const { action, target, before, after } = deed
  const tenantId = deed.tenantId === undefined ? callerOf(request).tenantId : (deed.tenantId ?? undefined)
  return omitUndefined({
    id: ids.auditId(at),
    at,
    tenantId,
    actor: deed.actor ?? callerOf(request).actor,
    actorTenantId: deed.actor === undefined ? foreignTenantOf(callerOf(request), tenantId) : undefined,
    address: request.ip,
    httpRequestId: request.id,
    action,
    target,
    before: before && toBounded(before),
    after: after && toBounded(after),
  })
}

/** The caller's own tenant, unless it is the one whose set-up it is. */
function foreignTenantOf({ tenantId, homeTenantId }: Caller, of: TenantId | undefined): TenantId | undefined {
  const home = homeTenantId ?? liveTenantOf(tenantId)
  return of !== undefined && liveTenantOf(of) === home ? undefined : home
}

const READS = new Set(['GET', 'HEAD'])

function notRecorded({ method }: FastifyRequest): Refusal {
  return READS.has(method)
    ? refuse('UNAVAILABLE', 'The access could not be recorded in the audit log, so nothing is shown; retry in a moment')
    : refuse(
        'AUDIT_UNAVAILABLE',
        'The call took effect, but it could not be recorded in the audit log. Do not repeat it: check what it changed.',
      )
}

export const UNAUDITED = 'audit: a successful call recorded nothing'

/** Reports routes that do not do what they declare. Call it before the first route is added. */
export function checkAudited(app: Api, logger: Logger): void {
  app.addHook('onRoute', (route) => {
    if (route.schema?.['x-audit'] === undefined) return
    const check: typeof route.onResponse = (request, { statusCode }, done) => {
      const { method, isAudited, routeOptions } = request
      if (statusCode < 300 && isAudited !== true) {
        logger.error({ ...toLogFields(request), method, route: routeOptions.url }, UNAUDITED)
      }
      done()
    }
    route.onResponse = [check, ...[route.onResponse ?? []].flat()]
  })
}
