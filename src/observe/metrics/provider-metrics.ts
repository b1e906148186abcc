/** Calls to providers, their callbacks, and their circuit breakers. */
import { Gauge, type Registry } from 'prom-client'
import { BREAKER_STATES } from '../../domain/routing/breaker.ts'
import type { Breakers } from '../../ports/breakers.ts'
import { CALLS } from './buckets.ts'
import { durations } from './durations.ts'
import { tally } from './tally.ts'

/** The result of a callback: its reports were applied, nobody signed it, or it is about no message of ours. */
export type CallbackResult = 'accepted' | 'forged' | 'unmatched'

export type ProviderMetrics = Readonly<{
  /** A call to a provider ended. */
  onCalled: (provider: string, operation: 'send' | 'lookup', outcome: string, seconds: number) => void
  /** `provider` is empty where a forged callback names none. */
  onCallback: (provider: string, result: CallbackResult) => void
}>

export type ProviderMetricsDeps = Readonly<{
  breakers: Pick<Breakers, 'states' | 'watch'>
  /** The calls of this process in flight at each provider. */
  calls?: () => Iterable<readonly [provider: string, calls: number]>
}>

export function providerMetrics(deps: ProviderMetricsDeps, registers: Registry[]): ProviderMetrics {
  callGauge(deps, registers)
  breakerMetrics(deps, registers)
  const call = durations(registers, {
    name: 'pombo_provider_call_duration_seconds',
    help: 'Calls to providers, by what came of them',
    buckets: CALLS,
    labelNames: ['provider', 'operation', 'outcome'],
  })
  return {
    onCalled: (provider, operation, outcome, seconds) => call(provider, operation, outcome)(seconds),
    onCallback: tally(registers, 'pombo_callbacks_total', 'Callbacks of providers', ['provider', 'result']),
  }
}

function callGauge({ calls = () => [] }: ProviderMetricsDeps, registers: Registry[]): void {
  new Gauge({
    name: 'pombo_provider_calls',
    help: 'Calls of this process in flight at a provider',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset()
      for (const [provider, count] of calls()) this.set({ provider }, count)
    },
  })
}

/** The state of the breaker of each provider that was called, and the transitions this process caused. */
function breakerMetrics({ breakers }: ProviderMetricsDeps, registers: Registry[]): void {
  const count = tally(registers, 'pombo_breaker_transitions_total', 'Transitions of circuit breakers', [
    ...['provider', 'from', 'to'],
  ])
  breakers.watch(({ provider, from, to }) => count(provider, from, to))
  new Gauge({
    name: 'pombo_breaker_state',
    help: 'Whether the circuit breaker of a provider is in this state',
    labelNames: ['provider', 'state'],
    registers,
    collect() {
      this.reset()
      for (const [provider, { kind }] of breakers.states()) {
        for (const state of BREAKER_STATES) this.set({ provider, state }, Number(kind === state))
      }
    },
  })
}
