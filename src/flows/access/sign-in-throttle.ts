/**
 * Slows down guessing: failures count for the address that is tried and for the client that tries. An attempt counts
 * before it is decided, so that many at once are no way around. Each process counts for itself.
 */
import {
  type DelayPolicy,
  delayOf,
  type Failures,
  OF_ADDRESS,
  OF_CLIENT,
  remembered,
} from '../../domain/access/sign-in-delay.ts'
import type { Clock } from '../../lib/clock.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { TooManyAttempts } from '../errors.ts'

export type Attempt = Readonly<{
  /** The address starts anew; the client only gets this attempt back, or its own account would hide its guesses. */
  succeed: () => void
  /** The attempt was not decided. */
  withdraw: () => void
}>

/** Throws `TooManyAttempts`. */
export type SignInThrottle = (attempt: Readonly<{ email: string; client: string }>) => Attempt

/** Whoever fills it needs many client addresses. */
const CAPACITY = 20_000

type Counted = Readonly<{ counter: LruCache<string, Failures>; key: string; policy: DelayPolicy }>

export function openSignInThrottle(clock: Clock): SignInThrottle {
  const ofAddresses = new LruCache<string, Failures>(CAPACITY)
  const ofClients = new LruCache<string, Failures>(CAPACITY)

  function refuseEarly(counted: readonly Counted[]): void {
    const now = clock()
    const delays = counted.map(({ counter, key, policy }) => {
      const failures = remembered(counter.get(key), now)
      return failures === undefined ? 0 : delayOf(failures, policy, now)
    })
    const longest = Math.max(...delays)
    if (longest > 0) throw new TooManyAttempts(longest as ReturnType<typeof delayOf>)
  }

  function count({ counter, key }: Counted): void {
    const now = clock()
    counter.set(key, { count: (remembered(counter.get(key), now)?.count ?? 0) + 1, lastAt: now })
  }

  return ({ email, client }) => {
    const address: Counted = { counter: ofAddresses, key: email, policy: OF_ADDRESS }
    const origin: Counted = { counter: ofClients, key: toClientKey(client), policy: OF_CLIENT }
    refuseEarly([address, origin])
    for (const counted of [address, origin]) count(counted)
    return {
      succeed() {
        ofAddresses.delete(address.key)
        giveBack(origin)
      },
      withdraw() {
        for (const counted of [address, origin]) giveBack(counted)
      },
    }
  }
}

function giveBack({ counter, key }: Counted): void {
  const failures = counter.get(key)
  if (failures !== undefined && failures.count > 1) counter.set(key, { ...failures, count: failures.count - 1 })
  else counter.delete(key)
}

const GROUPS_OF_NETWORK = 4

/** A subscriber has a whole /64 of IPv6 addresses. */
export function toClientKey(client: string): string {
  if (!client.includes(':') || client.includes('.')) return client
  const [head = '', tail] = client.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, GROUPS_OF_NETWORK).join(':')
}
