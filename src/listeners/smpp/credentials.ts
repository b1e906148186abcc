/**
 * Whom a client may bind for. The `system_id` is the id of an API key, and the password its secret, or the whole key. SMPP
 * 3.4 has room for eight characters only, and some clients cut off the rest: for those the operator can allow short
 * passwords, derived from the key. Wrong ones are throttled, as these could be guessed otherwise.
 */
import { type ApiKey, isUsable, parseApiKey, parseApiKeyId } from '../../domain/access/api-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { callerOfKey } from '../../domain/access/key-caller.ts'
import { includes } from '../../domain/access/scope.ts'
import { toClientKey } from '../../flows/access/sign-in-throttle.ts'
import type { Clock } from '../../lib/clock.ts'
import { isSame } from '../../lib/constant-time.ts'
import { containedIn } from '../../lib/networks.ts'
import type { Instant } from '../../lib/time.ts'
import { TokenBuckets } from '../../lib/token-bucket.ts'
import type { ApiKeySecrets } from '../../ports/api-key-secrets.ts'
import type { ApiKeys } from '../../ports/api-keys.ts'
import { STATUS, type Status } from './pdu.ts'
import { Answered, statusOf } from './statuses.ts'

export type CredentialDeps = Readonly<{
  apiKeys: Pick<ApiKeys, 'find' | 'isLoaded'>
  secrets: Pick<ApiKeySecrets, 'hash'>
  /** The short password of a key, where the operator allows them. */
  shortPassword?: (key: ApiKey) => string
  /** Throws a refusal if the tenant may not call. */
  checkTenant: (caller: Caller) => void
  clock: Clock
  onUse: (id: ApiKey['id'], at: Instant) => void
}>

export type Presented = Readonly<{ systemId: string; password: string; address: string }>

/**
 * Wrong passwords: so many at once, then so many a second. A short password resists two guesses a second for a million
 * years, and whoever guesses from one address does not lock out those who bind from others.
 */
const OF_BOTH = { perSecond: 0.1, capacity: 10 }
const OF_ADDRESS = { perSecond: 1, capacity: 100 }
const OF_KEY = { perSecond: 2, capacity: 1_000 }

export class Credentials {
  readonly #deps: CredentialDeps
  readonly #ofBoth = new TokenBuckets<string>(OF_BOTH)
  readonly #ofAddresses = new TokenBuckets<string>(OF_ADDRESS)
  readonly #ofKeys = new TokenBuckets<string>(OF_KEY)

  constructor(deps: CredentialDeps) {
    this.#deps = deps
  }

  /** Throws `Answered` if the client may not bind. */
  verify({ systemId, password, address }: Presented): Readonly<{ key: ApiKey; caller: Caller }> {
    const now = this.#deps.clock()
    if (!this.#deps.apiKeys.isLoaded()) throw new Answered(STATUS.systemError)
    const client = toClientKey(address)
    const guesses = [
      [this.#ofBoth, `${client} ${systemId}`],
      [this.#ofAddresses, client],
      [this.#ofKeys, systemId],
    ] as const
    if (guesses.some(([buckets, key]) => buckets.wait(key, now) > 0)) throw new Answered(STATUS.bindFailed)
    const key = this.#find(systemId, password)
    if (key === undefined) {
      for (const [buckets, key] of guesses) buckets.take(key, now)
      throw new Answered(STATUS.wrongPassword)
    }
    const caller = this.#callerOf(key, address)
    if (typeof caller === 'number') throw new Answered(caller)
    this.#deps.onUse(key.id, now)
    return { key, caller }
  }

  /** Whether a session that was bound with the key may go on. */
  isStillGood(keyId: string, address: string): boolean {
    const id = parseApiKeyId(keyId)
    const key = id && this.#deps.apiKeys.find(id)
    return key !== undefined && typeof this.#callerOf(key, address) !== 'number'
  }

  /** An unknown key takes as long as a wrong password. */
  #find(systemId: string, password: string): ApiKey | undefined {
    const { apiKeys, secrets, shortPassword } = this.#deps
    const id = parseApiKeyId(systemId)
    const key = id && apiKeys.find(id)
    const whole = parseApiKey(password)
    const isOfKey = whole === undefined || (whole.id === id && whole.mode === key?.mode)
    const isRight = isSame(key?.hash ?? NO_HASH, secrets.hash(whole?.secret ?? password)) && isOfKey
    const short = key && shortPassword?.(key)
    const isShort = isSame(short ?? NO_HASH, password) && short !== undefined
    return isRight || isShort ? key : undefined
  }

  #callerOf(key: ApiKey, address: string): Caller | Status {
    if (!isUsable(key, this.#deps.clock())) return STATUS.bindFailed
    if (key.networks !== undefined && !containedIn(key.networks)(address)) return STATUS.bindFailed
    const caller = callerOfKey(key)
    if (!includes(caller.scopes, 'sms:send')) return STATUS.bindFailed
    try {
      this.#deps.checkTenant(caller)
      return caller
    } catch (error) {
      if (statusOf(error) === undefined) throw error
      return STATUS.bindFailed
    }
  }
}

/** No secret has this hash, and no key this password. */
const NO_HASH = ''
