/**
 * `pombo migrate`: migrates the PostgreSQL schema of the cluster profile, before a newer release starts, or the data
 * folder of a stopped embedded gateway, which its next start would do otherwise.
 */
import { loadConfig } from '../config/config.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { toProgress } from './progress.ts'
import type { Migrated } from './world.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary:
    'Migrate the PostgreSQL schema, as the owner of the tables (POMBO_POSTGRES_OWNER_URL), or the data folder of a stopped embedded gateway.',
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values) {
    const onWait = (message: string): void => world.err.write(`pombo: ${message}\n`)
    const progress = toProgress(world, 'migrating')
    const config = loadConfig(world.env, world.readFile)
    const migrated = await world.migrateDatabase(config, onWait, progress.show).finally(progress.end)
    const { from, to, events } = migrated
    const json = JSON.stringify(omitUndefined({ from, to, events }))
    world.out.write(values.json === true ? `${json}\n` : `${toSummary(migrated)}\n`)
    return EXIT.ok
  },
})

function toSummary({ from, to, known, events = 0 }: Migrated): string {
  if (from > known)
    return `the schema is already at version ${to}; this release expects version ${known} and works with it`
  const schema =
    from === to ? `the schema is already at version ${to}` : `migrated the schema from version ${from} to ${to}`
  return events === 0 ? schema : `${schema}; took over ${events} events of an earlier release`
}
