/** `pombo rebuild`: makes the index again from the log. In the embedded profile the gateway must not be running. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toProgress } from './progress.ts'
import { toDuration } from './render.ts'

export const rebuild = defineCommand({
  name: 'rebuild',
  summary: 'Make the index again from the log; an embedded gateway must be stopped for it.',
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values) {
    const config = loadConfig(world.env, world.readFile)
    const startedAt = world.clock()
    const progress = toProgress(world, 'rebuilding')
    const { events } = await world.rebuildIndex(config, progress.show).finally(progress.end)
    const took = world.clock() - startedAt
    world.out.write(
      values.json === true
        ? `${JSON.stringify({ events, took_ms: took })}\n`
        : `the index is made again from ${events} events in ${toDuration(took)}\n`,
    )
    return EXIT.ok
  },
})
