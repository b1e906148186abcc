/** What an API key creates stays within it: no key outlives the one that made it, or works from other networks. */
import type { ApiKey } from '../../domain/access/api-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { refuse } from '../../flows/errors.ts'
import { networkWithin } from '../../lib/networks.ts'
import { type Instant, instant, toIso } from '../../lib/time.ts'
import type { ApiKeys } from '../../ports/api-keys.ts'

/** Those of the key that makes the call. People and tokens have none. */
export type ApiKeyBounds = Pick<ApiKey, 'networks' | 'expiresAt'>

export function boundsOf(apiKeys: Pick<ApiKeys, 'find'>, { actor }: Caller): ApiKeyBounds {
  if (actor.kind !== 'api_key') return {}
  const key = apiKeys.find(actor.id)
  if (key === undefined) throw refuse('UNAUTHENTICATED', 'The API key has ended')
  return key
}

/** `network` is as `parseNetwork` returns it. */
export function networkProblem({ networks }: ApiKeyBounds, network: string): string | undefined {
  if (networks === undefined || networkWithin(networks)(network)) return undefined
  return `must be within the networks of your own API key: ${networks.join(', ')}`
}

export function expiryProblems({ expiresAt }: ApiKeyBounds, path: string, at: Instant): readonly FieldProblem[] {
  if (expiresAt === undefined || at <= expiresAt) return []
  return [{ path, message: `must not be after ${toIso(expiresAt)}, when your own API key expires` }]
}

/** The earlier of two ends. */
export function boundedEnd({ expiresAt }: ApiKeyBounds, end: Instant | undefined): Instant | undefined {
  return expiresAt === undefined || end === undefined ? (end ?? expiresAt) : instant(Math.min(end, expiresAt))
}

/** Whoever rotates a key gets one with its networks. */
export function refuseWiderNetworks({ networks }: ApiKeyBounds, rotated: ApiKey): void {
  if (networks === undefined || rotated.networks?.every(networkWithin(networks)) === true) return
  throw refuse(
    'FORBIDDEN',
    `Your API key may be used from ${networks.join(', ')} only, and the API key ${rotated.id} from elsewhere too`,
  )
}
