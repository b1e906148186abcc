/** `pombo import`: copies the data of a stopped embedded gateway into a cluster. Safe to repeat. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toProgressAfterMigration } from './progress.ts'
import { toDuration } from './render.ts'
import type { ImportedFolder } from './world.ts'

export const importData = defineCommand({
  name: 'import',
  summary: 'Import the data folder of a stopped embedded gateway into the cluster.',
  words: { usage: 'FOLDER', least: 1, most: 1 },
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values, [folder = '']) {
    const config = loadConfig(world.env, world.readFile)
    const startedAt = world.clock()
    const { show, showMigration, end } = toProgressAfterMigration(world, 'importing')
    const imported = await world.importFolder(config, folder, show, showMigration).finally(end)
    const took = world.clock() - startedAt
    world.out.write(
      values.json === true ? `${JSON.stringify({ ...imported, took_ms: took })}\n` : toText(imported, took),
    )
    return EXIT.ok
  },
})

const KINDS = [
  'tenants',
  'limits',
  'recipients',
  'templates',
  'routes',
  'endpoints',
  'keys',
  'users',
  'domains',
  'challenges',
] as const

/** What was not imported, why, and what to do about it. */
const NOT_IMPORTED: Readonly<Record<(typeof KINDS)[number], string>> = {
  tenants: 'tenants that differ from those in the cluster with the same id: compare them with `pombo tenants show`',
  limits: 'limits for single recipients, which are hashed with the master key of the folder: create them again',
  recipients:
    'recipients whose external id belongs to another recipient in the cluster: messages that refer to them will fail',
  templates: 'templates that differ from those in the cluster with the same name and locale: add them as new versions',
  routes: 'routes that differ from those in the cluster with the same id: create them again with another id',
  endpoints: 'endpoints, whose secrets are derived from the master key of the folder: create them again',
  keys: 'API keys, which can only be verified with the master key of the folder: create them again',
  users: 'users whose email address belongs to another user in the cluster',
  domains:
    'domains that another tenant has verified in the cluster, or whose DKIM keys are sealed with the master key of the folder: add them again',
  challenges: 'open codes, which can only be checked with the master key of the folder: request new ones',
}

function toText(imported: ImportedFolder, took: number): string {
  const { messages, events, added, auditEntries } = imported
  const counts = KINDS.map((kind) => `${imported[kind].all - imported[kind].left} ${kind}`).join(', ')
  const newlyAdded = KINDS.reduce((sum, kind) => sum + imported[kind].added, 0)
  const lines = [
    `imported ${messages} messages with ${events} events (${added} new) in ${toDuration(took)}`,
    `imported ${counts} (${newlyAdded} new)`,
    `imported ${auditEntries.all} entries of the audit log (${auditEntries.added} new)`,
    ...KINDS.filter((kind) => imported[kind].left > 0).map(
      (kind) => `not imported: ${imported[kind].left} ${NOT_IMPORTED[kind]}`,
    ),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
