/**
 * Callers without credentials, for what an operator has opened to this machine and to some networks. A call that came
 * through a proxy has the address of its client only if the proxy is trusted; any other proxy, and any browser, may have
 * been sent by somebody else.
 */

import type { Caller } from '../../domain/access/caller.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { containedIn } from '../../lib/networks.ts'
import type { Presented } from '../http/auth.ts'

export type OpenCallersDeps = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  /** Besides loopback, as `parseNetworks` returns them. */
  networks: readonly string[]
  trustedProxies: readonly string[]
}>

/** Undefined for a call that needs credentials. */
export type OpenCallers = (request: Presented) => Caller | undefined

const LOOPBACK = ['127.0.0.0/8', '::1/128']
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'] as const

export function openCallers({ tenantId, accountId, networks, trustedProxies }: OpenCallersDeps): OpenCallers {
  const caller: Caller = { tenantId, accountId, scopes: new Set(['admin']), actor: { kind: 'anonymous' } }
  const [isNear, isAllowed] = [containedIn([...LOOPBACK, ...networks]), containedIn(networks)]
  const isTrustedProxy = containedIn(trustedProxies)
  return (request) => {
    const { ip, ips = [ip], headers } = request
    // Browsers add it to every POST, also of a page whose name resolves to this machine.
    if (headers.origin !== undefined) return undefined
    if (ips.length > 1) return isAllowed(ip) ? caller : undefined
    const isProxy = isTrustedProxy(ip) || FORWARDED.some((name) => headers[name] !== undefined)
    return !isProxy && isNear(ip) ? caller : undefined
  }
}
