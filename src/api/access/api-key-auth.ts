/**
 * Authenticates callers by API key. A key is found in memory, and what can change about it is checked on every call; the
 * cache saves only the proof of its secret. An unknown key takes as long as a wrong secret, so nobody can tell which ids
 * exist.
 */
import { type ApiKey, type ApiKeyId, isUsable, parseApiKey } from '../../domain/access/api-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { callerOfKey } from '../../domain/access/key-caller.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { isSame } from '../../lib/constant-time.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { containedIn } from '../../lib/networks.ts'
import type { Instant } from '../../lib/time.ts'
import type { ApiKeySecrets } from '../../ports/api-key-secrets.ts'
import type { ApiKeys } from '../../ports/api-keys.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Presented } from '../http/auth.ts'

/** Resolves the text of an API key to its caller, or throws a refusal. */
export type KeyVerifier = (text: string, request: Pick<Presented, 'ip'>) => Caller

export type KeyVerifierDeps = Readonly<{
  apiKeys: Pick<ApiKeys, 'find' | 'isLoaded'>
  secrets: Pick<ApiKeySecrets, 'hash'>
  clock: Clock
  /** Called with every use of a key. */
  onUse: (id: ApiKeyId, at: Instant) => void
}>

const MAX_CACHED = 4096

/** A key whose secret was proved, and what follows from the parts of it that never change. */
type Proved = Readonly<{
  id: ApiKeyId
  hash: string
  caller: Caller
  /** Undefined when the key may be used from anywhere. */
  isNetworkAllowed: ((address: string) => boolean) | undefined
}>

export function openKeyVerifier({ apiKeys, secrets, clock, onUse }: KeyVerifierDeps): KeyVerifier {
  const cache = new LruCache<string, Proved>(MAX_CACHED)

  function prove(text: string): Proved {
    const presented = parseApiKey(text)
    if (presented === undefined) throw invalidKey()
    const { id, mode, secret } = presented
    const found = apiKeys.find(id)
    const isRight = isSame(found?.hash ?? NO_HASH, secrets.hash(secret))
    if (found === undefined || !isRight || found.mode !== mode) throw invalidKey()
    const proved = toProved(found)
    cache.set(text, proved)
    return proved
  }

  return (text, { ip }) => {
    if (!apiKeys.isLoaded()) throw new Unavailable('the API keys are not loaded yet')
    const { id, hash, caller, isNetworkAllowed } = cache.get(text) ?? prove(text)
    const key = apiKeys.find(id)
    if (key?.hash !== hash) throw invalidKey()
    const now = clock()
    if (!isUsable(key, now)) throw endedKey(key)
    if (isNetworkAllowed !== undefined && !isNetworkAllowed(ip)) throw forbiddenNetwork(ip)
    onUse(id, now)
    return caller
  }
}

/** No secret has this hash. */
const NO_HASH = ''

const toProved = (key: ApiKey): Proved => ({
  id: key.id,
  hash: key.hash,
  caller: callerOfKey(key),
  isNetworkAllowed: key.networks && containedIn(key.networks),
})

const invalidKey = (): Refusal => refuse('UNAUTHENTICATED', 'The API key is not valid')
const endedKey = ({ revokedAt }: ApiKey): Refusal =>
  refuse('UNAUTHENTICATED', revokedAt === undefined ? 'The API key has expired' : 'The API key was revoked')
const forbiddenNetwork = (address: string): Refusal =>
  refuse('UNAUTHENTICATED', `The API key may not be used from ${address}`)
