/** `pombo migrate`: brings the tables of the cluster profile up to date, before a newer Pombo is started on them. */
import { loadConfig } from '../config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Bring the tables in PostgreSQL up to date, as their owner (POMBO_POSTGRES_OWNER_URL).',
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values) {
    const { from, to } = await world.migrateDatabase(loadConfig(world.env, world.readFile))
    const sentence =
      from === to ? `the tables are at version ${to} already` : `the tables went from version ${from} to ${to}`
    world.out.write(values.json === true ? `${JSON.stringify({ from, to })}\n` : `${sentence}\n`)
    return EXIT.ok
  },
})
