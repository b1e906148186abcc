/** Berths that tell when somebody finds none, and a provider that notices when it is called more often than there are. */

import { Berths, type Entry } from '../../src/flows/send/provider-slots.ts'
import type { Provider } from '../../src/ports/provider.ts'
import type { Simulation } from './simulation.ts'

export class WatchedBerths extends Berths {
  readonly #sim: Simulation

  constructor(sim: Simulation, size: number) {
    super({ size })
    this.#sim = sim
  }

  override enter(...caller: Parameters<Berths['enter']>): Entry {
    const entry = super.enter(...caller)
    if (entry.kind === 'full') this.#sim.tally.count('no berth')
    return entry
  }
}

/** `berths` are those of one process, which alone calls it. */
export function crowdedProvider(sim: Simulation, provider: Provider, berths: number): Provider {
  let underWay = 0
  return {
    ...provider,
    async send(attempt, signal) {
      underWay += 1
      if (underWay > berths) sim.violated(`${underWay} calls of ${provider.name} at once, with ${berths} berths`)
      try {
        return await provider.send(attempt, signal)
      } finally {
        underWay -= 1
      }
    },
  }
}
