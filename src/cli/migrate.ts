/** `pombo migrate`: brings the tables of the cluster profile up to date, before a newer Pombo is started on them. */
import { loadConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Bring the tables in PostgreSQL up to date, as their owner (POMBO_POSTGRES_OWNER_URL).',
  options: { json: { about: 'print the result as JSON' } },
  async run(world, values) {
    const onWait = (sentence: string): void => world.err.write(`pombo: ${sentence}\n`)
    const { from, to, known } = await world.migrateDatabase(loadConfig(world.env, world.readFile), onWait)
    world.out.write(values.json === true ? `${JSON.stringify({ from, to })}\n` : `${toSentence(from, to, known)}\n`)
    return EXIT.ok
  },
})

function toSentence(from: number, to: number, known: number): string {
  if (from > known)
    return `the tables are at version ${to} already; this release is of version ${known} and works with it`
  return from === to ? `the tables are at version ${to} already` : `the tables went from version ${from} to ${to}`
}
