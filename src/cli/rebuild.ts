/** `pombo rebuild`: rebuilds the index from the log. In the embedded profile the gateway must be stopped. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toProgressAfterMigration } from './progress.ts'
import { toDuration } from './render.ts'

export const rebuild = defineCommand({
  name: 'rebuild',
  summary: 'Rebuild the index from the log; an embedded gateway must be stopped.',
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values) {
    const config = loadConfig(world.env, world.readFile)
    const startedAt = world.clock()
    const { show, showMigration, end } = toProgressAfterMigration(world, 'rebuilding')
    const { events } = await world.rebuildIndex(config, show, showMigration).finally(end)
    const took = world.clock() - startedAt
    world.out.write(
      values.json === true
        ? `${JSON.stringify({ events, took_ms: took })}\n`
        : `rebuilt the index from ${events} events in ${toDuration(took)}\n`,
    )
    return EXIT.ok
  },
})
