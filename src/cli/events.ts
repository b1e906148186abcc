/** `pombo events replay`: publishes the integration events of the past on NATS. In the cluster profile only. */
import { loadConfig } from '../config/config.ts'
import { parseInstant } from '../lib/time.ts'
import { defineCommand } from './command.ts'
import { EXIT, usageError } from './exit.ts'
import { toProgress } from './progress.ts'

export const events = defineCommand({
  name: 'events',
  summary: 'Publish the integration events of the past on NATS, for consumers that came later.',
  words: { usage: 'replay', least: 1, most: 1 },
  options: {
    since: { value: 'TIME', about: 'what was recorded from this time on, such as 2026-11-01T00:00:00Z' },
    json: { about: 'print the result as JSON' },
  },
  async run(world, values, [verb]) {
    const since = values.since === undefined ? undefined : parseInstant(values.since)
    if (verb !== 'replay' || since === undefined) {
      throw usageError('usage: pombo events replay --since TIME, such as 2026-11-01T00:00:00Z')
    }
    const config = loadConfig(world.env, world.readFile)
    const { show, end } = toProgress(world, 'publishing')
    const recorded = await world.replayEvents(config, since, show).finally(end)
    world.out.write(
      values.json === true
        ? `${JSON.stringify({ events: recorded })}\n`
        : `published the integration events of ${recorded} events\n`,
    )
    return EXIT.ok
  },
})
