/** Imports the API keys of a store into another. Keys that exist stay as they are, so it can be repeated. */
import type { ApiKey } from '../../domain/access/api-key.ts'
import type { ApiKeyRoom, ApiKeys } from '../../ports/api-keys.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import { type ImportCounts, type ImportOutcome, importPages, NOTHING, sum } from './import-pages.ts'

export type ImportApiKeysDeps = Readonly<{
  source: Readonly<{ apiKeys: Pick<ApiKeys, 'list'>; listing: Pick<SetupListing, 'tenants'> }>
  target: Readonly<{ apiKeys: Pick<ApiKeys, 'find' | 'add'> }>
  /** Whether both stores use the same master key. */
  isSameKey: boolean
}>

export async function importApiKeys(deps: ImportApiKeysDeps): Promise<ImportCounts> {
  const { apiKeys, listing } = deps.source
  let counts = NOTHING
  for (const tenantId of await listing.tenants()) {
    const read = async () => ({ items: apiKeys.list(tenantId), nextCursor: undefined })
    counts = sum(counts, await importPages(read, (key) => importApiKey(deps, key)))
  }
  return counts
}

/** The tenant had room for them where they come from. */
const ROOM: ApiKeyRoom = { usable: Number.MAX_SAFE_INTEGER, all: Number.MAX_SAFE_INTEGER }

async function importApiKey(
  { target: { apiKeys }, isSameKey }: ImportApiKeysDeps,
  key: ApiKey,
): Promise<ImportOutcome> {
  // Its hash is keyed by the master key: under another one its secret would look wrong.
  if (!isSameKey) return 'left'
  if (apiKeys.find(key.id) !== undefined) return 'there'
  return (await apiKeys.add(key, ROOM)) ? 'added' : 'left'
}
