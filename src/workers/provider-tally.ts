/**
 * Counts the results of providers in memory, and adds them to those of other processes once in a while, so that no
 * attempt waits for it. What was not added yet is lost with the process.
 */
import { addResults, type ResultCounts, toResult } from '../domain/alerts/provider-result.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import { type Instant, instant } from '../lib/time.ts'
import { MINUTE, type ProviderResults } from '../ports/provider-results.ts'

export const ADD_RESULTS_EVERY_MS = 10_000

export type ProviderTally = Readonly<{
  observe: (event: MessageEvent) => void
  /** Adds what was counted since. If it rejects, nothing is lost. */
  add: () => Promise<void>
}>

type Minutes = Map<Instant, Map<ProviderName | undefined, ResultCounts>>

export function openProviderTally(results: Pick<ProviderResults, 'add'>): ProviderTally {
  let counted: Minutes = new Map()

  function count(minute: Instant, provider: ProviderName | undefined, more: ResultCounts): void {
    const providers = counted.get(minute) ?? new Map<ProviderName | undefined, ResultCounts>()
    counted.set(minute, providers)
    const known = providers.get(provider)
    providers.set(provider, known === undefined ? more : addResults(known, more))
  }

  return {
    observe(event) {
      const result = toResult(event)
      if (result !== undefined) count(instant(event.at - (event.at % MINUTE)), event.state.provider, result)
    },

    async add() {
      const adding = counted
      counted = new Map()
      try {
        await results.add([...adding].flatMap(([minute, providers]) => toRows(minute, providers)))
      } catch (error) {
        for (const [minute, providers] of adding) for (const [name, counts] of providers) count(minute, name, counts)
        throw error
      }
    },
  }
}

const toRows = (minute: Instant, providers: ReadonlyMap<ProviderName | undefined, ResultCounts>) =>
  [...providers].map(([provider, counts]) => ({ minute, ...counts, ...(provider === undefined ? {} : { provider }) }))
