/** Circuit breakers in the memory of one process. Those of the embedded profile are in sqlite/breakers.ts. */

import type { ProviderName } from '../../domain/ids.ts'
import {
  Answered,
  afterCall,
  BREAKER,
  type Breaker,
  type BreakerCall,
  type BreakerPolicy,
  CLOSED,
  permissionOf,
} from '../../domain/routing/breaker.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Breakers, BreakerTransition } from '../../ports/breakers.ts'

/** `known` are the breakers at the start; all others are closed. */
export function inProcessBreakers(
  policy: BreakerPolicy = BREAKER,
  known: Iterable<readonly [ProviderName, Breaker]> = [],
): Breakers {
  const states = new Map<ProviderName, Breaker>(known)
  const listeners = new Set<(transition: BreakerTransition) => void>()
  const answered = new Answered()

  function change(provider: ProviderName, call: BreakerCall): void {
    const before = states.get(provider) ?? CLOSED
    const after = afterCall(before, call, policy)
    if (after === before) return
    states.set(provider, after)
    if (after.kind === before.kind) return
    const forced = call.kind === 'force'
    const transition = { provider, from: before.kind, to: after.kind, failures: after.failures, forced }
    for (const listener of listeners) listener(transition)
  }

  return {
    ask(provider, at) {
      const breaker = states.get(provider)
      if (breaker === undefined) states.set(provider, CLOSED)
      const permission = permissionOf(breaker ?? CLOSED, at, policy)
      if (permission.kind === 'trial') change(provider, { kind: 'try', at })
      return permission
    },

    report(provider, pass, verdict, at, begunAt = at) {
      if (!answered.hasOvertaken(provider, pass, verdict, begunAt))
        change(provider, { kind: 'result', permit: pass, verdict, at })
    },

    async force(provider, to, at, pause) {
      change(provider, omitUndefined({ kind: 'force' as const, to, at, pause }))
    },

    states: () => states,

    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
