/** Counts calls that find no free provider slot, and checks that no provider gets more concurrent calls than slots. */
import { ProviderSlots, type Slot } from '../../src/domain/routing/provider-slots.ts'
import type { Provider } from '../../src/ports/provider.ts'
import type { Simulation } from './simulation.ts'

export class CountingSlots extends ProviderSlots {
  readonly #sim: Simulation

  constructor(sim: Simulation, size: number) {
    super({ size })
    this.#sim = sim
  }

  override enter(...caller: Parameters<ProviderSlots['enter']>): Slot {
    const entry = super.enter(...caller)
    if (entry.kind === 'full') this.#sim.counters.count('no slot')
    return entry
  }
}

/** Wraps the provider of one process, which has `slots` slots. */
export function slotCheckedProvider(sim: Simulation, provider: Provider, slots: number): Provider {
  let inFlight = 0
  return {
    ...provider,
    async send(attempt, signal) {
      inFlight += 1
      if (inFlight > slots) sim.reportViolation(`${inFlight} calls of ${provider.name} at once, with ${slots} slots`)
      try {
        return await provider.send(attempt, signal)
      } finally {
        inFlight -= 1
      }
    },
  }
}
