/** Endpoints that are forgotten with their process. */
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import type { EndpointKey, Endpoints, Finding } from '../../ports/endpoints.ts'

export type MemoryEndpoints = Endpoints &
  Readonly<{
    /** What `find` and `list` say, at once. */
    now: Readonly<{ find: (key: EndpointKey) => Endpoint | undefined; all: () => readonly Endpoint[] }>
    whenRemoved: (act: (key: EndpointKey) => void) => void
  }>

export function memoryEndpoints(): MemoryEndpoints {
  const known = new Map<string, Endpoint>()
  const watchers: ((key: EndpointKey) => void)[] = []
  const find = (key: EndpointKey): Endpoint | undefined => known.get(nameOf(key))
  const all = (): readonly Endpoint[] => [...known.values()].toSorted(oldestFirst)
  const keep = (endpoint: Endpoint): Endpoint => {
    known.set(nameOf(endpoint), endpoint)
    return endpoint
  }

  return {
    now: { find, all },
    whenRemoved: (act) => void watchers.push(act),

    add: async (endpoint) => (find(endpoint) === undefined ? keep({ version: 1, ...endpoint }) : undefined),
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
      const isRemoved = known.delete(nameOf(key))
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
  const disabled = { version: endpoint.version + 1, ...(failingSince === undefined ? {} : { failingSince }) }
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
