/** DNS lookups by c-ares, at the servers of the operator or those of the system. Nothing is cached. */
import { NODATA, NOTFOUND, Resolver } from 'node:dns/promises'
import type { DnsLookup, TxtAnswer } from '../../ports/dns-lookup.ts'

/** `servers` are IP addresses, with a port where it is not 53. */
export type DnsOptions = Readonly<{ servers?: readonly string[]; timeoutMs?: number; deadlineMs?: number }>

/** For the first of two tries. */
const TIMEOUT_MS = 2_000
/** Each server is tried, so without it many that are silent would take long. */
const DEADLINE_MS = 8_000

export function openDnsLookup({
  servers = [],
  timeoutMs: timeout = TIMEOUT_MS,
  deadlineMs = DEADLINE_MS,
}: DnsOptions = {}): DnsLookup {
  return {
    async txt(name) {
      // A new one for each lookup: it reads the servers of the system, and cancelling ends no other lookup.
      const resolver = new Resolver({ timeout, tries: 2 })
      if (servers.length > 0) resolver.setServers(servers)
      const timer = setTimeout(() => resolver.cancel(), deadlineMs)
      try {
        const records = await resolver.resolveTxt(name)
        return { kind: 'found', values: records.map((parts) => parts.join('')) }
      } catch (error) {
        return toAnswer(error)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

function toAnswer(error: unknown): TxtAnswer {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
  return code === NOTFOUND || code === NODATA ? { kind: 'absent' } : { kind: 'unavailable', reason: code }
}
