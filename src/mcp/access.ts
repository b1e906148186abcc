/** What the credentials of a client may do, as the gateway says. */
import { z } from 'zod'
import { includes, parseScopes, type Scope } from '../domain/access/scope.ts'
import { isTestTenant } from '../domain/access/test-mode.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Send } from './gateway.ts'

/** `isTest`: whatever the credentials are used for happens in test mode. */
export type Access = Readonly<{ scopes: ReadonlySet<Scope>; isTest: boolean }>

export type AccessAnswer =
  | Readonly<{ kind: 'granted'; access: Access }>
  | Readonly<{ kind: 'denied'; status: number; reason: string }>
  | Readonly<{ kind: 'unreachable'; reason: string }>

const Session = z.object({ tenant_id: z.string(), scopes: z.array(z.string()) })
const Problem = z.object({ detail: z.string() })

export async function readAccess(send: Send): Promise<AccessAnswer> {
  const response = await send('GET', '/v1/session', {})
  if ('unreachable' in response) return { kind: 'unreachable', reason: response.unreachable }
  const body: unknown = await response.json().catch(() => undefined)
  const { status } = response
  if (status === 401 || status === 403) {
    const { data } = Problem.safeParse(body)
    return { kind: 'denied', status, reason: data?.detail ?? 'the gateway refuses the credentials' }
  }
  const { data } = Session.safeParse(body)
  if (!response.ok || data === undefined) {
    return { kind: 'unreachable', reason: `the gateway answered ${status} when it was asked for the scopes` }
  }
  const isTest = isTestTenant(data.tenant_id as TenantId)
  return { kind: 'granted', access: { scopes: parseScopes(data.scopes.join(' ')), isTest } }
}

/** Without an answer of the gateway everything is offered: it decides on every call anyway. */
export const mayUse = (access: Access | undefined, scopes: readonly Scope[]): boolean =>
  access === undefined || scopes.some((scope) => includes(access.scopes, scope))
