/** `pombo migrate`: migrates the PostgreSQL schema of the cluster profile, before a newer release starts. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate the PostgreSQL schema, as the owner of the tables (POMBO_POSTGRES_OWNER_URL).',
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values) {
    const onWait = (message: string): void => world.err.write(`pombo: ${message}\n`)
    const { from, to, known } = await world.migrateDatabase(loadConfig(world.env, world.readFile), onWait)
    world.out.write(values.json === true ? `${JSON.stringify({ from, to })}\n` : `${toSummary(from, to, known)}\n`)
    return EXIT.ok
  },
})

function toSummary(from: number, to: number, known: number): string {
  if (from > known)
    return `the schema is already at version ${to}; this release expects version ${known} and works with it`
  return from === to ? `the schema is already at version ${to}` : `migrated the schema from version ${from} to ${to}`
}
