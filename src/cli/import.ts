/** `pombo import`: moves what a stopped embedded gateway has stored into a cluster. It may be repeated. */
import { loadConfig } from '../config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toProgress } from './progress.ts'
import { toDuration } from './render.ts'

export const importData = defineCommand({
  name: 'import',
  summary: 'Move the data folder of a stopped embedded gateway into the cluster.',
  words: { usage: 'FOLDER', least: 1, most: 1 },
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values, [folder = '']) {
    const config = loadConfig(world.env, world.readFile)
    const startedAt = world.clock()
    const progress = toProgress(world, 'moving')
    const { messages, events, added } = await world.importFolder(config, folder, progress.show).finally(progress.end)
    const took = world.clock() - startedAt
    const sentence = `${messages} messages with ${events} events are in the cluster, ${added} of these events since now`
    world.out.write(
      values.json === true
        ? `${JSON.stringify({ messages, events, added, took_ms: took })}\n`
        : `${sentence}; it took ${toDuration(took)}\n`,
    )
    return EXIT.ok
  },
})
