/** Kills and restarts one API process or worker after another. */
import { setTimeout as wait } from 'node:timers/promises'
import { randomInteger, seededRandom } from '../support/random.ts'
import type { Fault } from './fault.ts'

/** The time between kills, and the time until a killed process restarts. */
const UP_MS = [100, 900] as const
const DOWN_MS = [0, 400] as const

export const members: Fault = {
  name: 'members',
  promise: 'kills of API processes and workers lose no message, send none twice and record nothing wrongly',
  usual: { kills: 30, seconds: 0 },
  brief: { kills: 4, seconds: 0 },
  async inject({ site: { workforce }, plan: { kills, seed, onProgress }, note }) {
    const random = seededRandom(seed)
    // In turn, so that a short run kills every process.
    const order = workforce.toSorted(() => random() - 0.5)
    for (let kill = 0; kill < kills; kill += 1) {
      const member = order[kill % order.length]
      await wait(randomInteger(random, ...UP_MS))
      await member?.kill('SIGKILL')
      await wait(randomInteger(random, ...DOWN_MS))
      await member?.start()
      onProgress(`kill ${kill + 1} of ${kills}: ${member?.name}`)
    }
    note('kills', kills)
    return []
  },
}
