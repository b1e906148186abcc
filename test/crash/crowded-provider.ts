/** Berths that tell when somebody finds none, and a provider that webhook deliveries when it is called more often than there are. */

import { ProviderSlots, type Slot } from '../../src/domain/routing/provider-slots.ts'
import type { Provider } from '../../src/ports/provider.ts'
import type { Simulation } from './simulation.ts'

export class WatchedSlots extends ProviderSlots {
  readonly #sim: Simulation

  constructor(sim: Simulation, size: number) {
    super({ size })
    this.#sim = sim
  }

  override enter(...caller: Parameters<ProviderSlots['enter']>): Slot {
    const entry = super.enter(...caller)
    if (entry.kind === 'full') this.#sim.tally.count('no slot')
    return entry
  }
}

/** `slots` are those of one process, which alone calls it. */
export function crowdedProvider(sim: Simulation, provider: Provider, slots: number): Provider {
  let underWay = 0
  return {
    ...provider,
    async send(attempt, signal) {
      underWay += 1
      if (underWay > slots) sim.violated(`${underWay} calls of ${provider.name} at once, with ${slots} slots`)
      try {
        return await provider.send(attempt, signal)
      } finally {
        underWay -= 1
      }
    },
  }
}
