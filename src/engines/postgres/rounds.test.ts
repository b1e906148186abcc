import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { roundsContract } from '../../ports/rounds.contract.ts'
import { Database, openPool } from './database.ts'
import { postgresRounds } from './rounds.ts'
import { checkSchema } from './schema.ts'

const { migrated } = await sharePostgres()

roundsContract('postgres', async () => {
  const database = await migrated()
  const db = new Database(openPool(database.appUrl), checkSchema)
  return {
    rounds: postgresRounds(db),
    async [Symbol.asyncDispose]() {
      await db[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
})
