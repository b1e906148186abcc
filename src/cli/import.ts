/** `pombo import`: moves what a stopped embedded gateway has stored into a cluster. It may be repeated. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toProgress } from './progress.ts'
import { toDuration } from './render.ts'
import type { ImportedFolder } from './world.ts'

export const importData = defineCommand({
  name: 'import',
  summary: 'Move the data folder of a stopped embedded gateway into the cluster.',
  words: { usage: 'FOLDER', least: 1, most: 1 },
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values, [folder = '']) {
    const config = loadConfig(world.env, world.readFile)
    const startedAt = world.clock()
    const progress = toProgress(world, 'moving')
    const imported = await world.importFolder(config, folder, progress.show).finally(progress.end)
    const took = world.clock() - startedAt
    world.out.write(
      values.json === true ? `${JSON.stringify({ ...imported, took_ms: took })}\n` : toText(imported, took),
    )
    return EXIT.ok
  },
})

const KINDS = ['limits', 'recipients', 'templates', 'routes', 'endpoints', 'challenges'] as const

/** What was left behind, why, and what to do about it. */
const LEFT: Readonly<Record<(typeof KINDS)[number], string>> = {
  limits: 'limits for single recipients, known only under the master key of the folder: set them again',
  recipients: 'recipients whose external id another has in the cluster: messages that name them fail there',
  templates: 'templates that are not what the cluster has under their name and locale: add them as new versions',
  routes: 'routes that are not what the cluster has under their id: make them again under another',
  endpoints: 'endpoints, whose secrets come from the master key of the folder: make them again',
  challenges: 'open codes, which verify only under the master key of the folder: ask for new ones',
}

function toText(imported: ImportedFolder, took: number): string {
  const { messages, events, added } = imported
  const counts = KINDS.map((kind) => `${imported[kind].all - imported[kind].left} ${kind}`).join(', ')
  const since = KINDS.reduce((sum, kind) => sum + imported[kind].added, 0)
  const lines = [
    `${messages} messages with ${events} events are in the cluster, ${added} of these events since now; it took ${toDuration(took)}`,
    `${counts} are there too, ${since} of these since now`,
    ...KINDS.filter((kind) => imported[kind].left > 0).map(
      (kind) => `left behind: ${imported[kind].left} ${LEFT[kind]}`,
    ),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
