/** `kill -9` of one api or worker after another; each comes back as itself. */
import { setTimeout as wait } from 'node:timers/promises'
import { between, seededDice } from '../support/dice.ts'
import type { Fault } from './fault.ts'

/** How long nobody is dead, and how long one stays dead. */
const LIFE_MS = [100, 900] as const
const DEATH_MS = [0, 400] as const

export const members: Fault = {
  name: 'members',
  promise: 'whichever api or worker is killed, nothing is lost, doubled or pretended',
  usual: { kills: 30, seconds: 0 },
  brief: { kills: 4, seconds: 0 },
  async harm({ site: { workforce }, plan: { kills, seed, onProgress }, note }) {
    const dice = seededDice(seed)
    // Each in its turn: a short run must not spare anybody.
    const order = workforce.toSorted(() => dice() - 0.5)
    for (let kill = 0; kill < kills; kill += 1) {
      const member = order[kill % order.length]
      await wait(between(dice, ...LIFE_MS))
      await member?.kill('SIGKILL')
      await wait(between(dice, ...DEATH_MS))
      await member?.start()
      onProgress(`kill ${kill + 1} of ${kills}: ${member?.name}`)
    }
    note('kills', kills)
    return []
  },
}
