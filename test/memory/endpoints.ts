/** Webhook endpoints in memory, for tests. */

import type { Endpoint } from '../../src/domain/webhooks/endpoint.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { EndpointKey, Endpoints, Finding } from '../../src/ports/endpoints.ts'

export type MemoryEndpoints = Endpoints &
  Readonly<{
    /** `find` and `list`, synchronously. */
    now: Readonly<{ find: (key: EndpointKey) => Endpoint | undefined; all: () => readonly Endpoint[] }>
    whenRemoved: (act: (key: EndpointKey) => void) => void
  }>

const BOUNDLESS = { tenant: Number.POSITIVE_INFINITY, account: Number.POSITIVE_INFINITY }

export function memoryEndpoints(): MemoryEndpoints {
  const stored = new Map<string, Endpoint>()
  const watchers: ((key: EndpointKey) => void)[] = []
  const find = (key: EndpointKey): Endpoint | undefined => stored.get(nameOf(key))
  const all = (): readonly Endpoint[] => [...stored.values()].toSorted(oldestFirst)
  const keep = (endpoint: Endpoint): Endpoint => {
    stored.set(nameOf(endpoint), endpoint)
    return endpoint
  }

  return {
    now: { find, all },
    whenRemoved: (act) => void watchers.push(act),

    async add(endpoint, most = BOUNDLESS) {
      const ofTenant = all().filter(({ tenantId }) => tenantId === endpoint.tenantId)
      const ofAccount = ofTenant.filter(({ accountId }) => accountId === endpoint.accountId)
      const isFull = ofTenant.length >= most.tenant || ofAccount.length >= most.account
      return find(endpoint) === undefined && !isFull ? keep({ version: 1, ...endpoint }) : undefined
    },
    find: async (key) => find(key),
    list: async (of) =>
      all().filter(
        ({ tenantId, accountId }) => of === undefined || (tenantId === of.tenantId && accountId === of.accountId),
      ),

    async change({ failingSince: _, ...wanted }) {
      const before = find(wanted)
      if (before?.version !== wanted.version) return undefined
      const beginsAnew = before.disabled !== undefined && wanted.disabled === undefined
      const { createdAt, failingSince } = before
      const failing = failingSince === undefined || beginsAnew ? {} : { failingSince }
      return keep({ ...wanted, ...failing, createdAt, version: before.version + 1 })
    },

    async remove(key) {
      const isRemoved = stored.delete(nameOf(key))
      if (isRemoved) for (const act of watchers) act(key)
      return isRemoved
    },

    async judge(key, finding) {
      const before = find(key)
      if (before === undefined || before.disabled !== undefined) return undefined
      const { disabled } = keep(toJudged(before, finding))
      return disabled
    },
  }
}

function toJudged({ failingSince, ...endpoint }: Endpoint, finding: Finding): Endpoint {
  const disabled = omitUndefined({ version: endpoint.version + 1, failingSince })
  switch (finding.kind) {
    case 'well':
      return endpoint
    case 'gone':
      return { ...endpoint, ...disabled, disabled: 'gone' }
    case 'failing': {
      const since = failingSince ?? finding.at
      const isOver = since < finding.longestFailing
      return { ...endpoint, ...(isOver ? { ...disabled, disabled: 'failing' } : {}), failingSince: since }
    }
  }
}

const nameOf = ({ tenantId, accountId, id }: EndpointKey): string => `${tenantId} ${accountId} ${id}`

const oldestFirst = (one: Endpoint, other: Endpoint): number =>
  one.createdAt - other.createdAt || (nameOf(one) < nameOf(other) ? -1 : 1)
