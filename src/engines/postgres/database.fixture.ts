/** A database per test, as the app sees it, with the stores under test on it. */
import { Database, openPool } from './database.ts'
import { checkSchema } from './schema.ts'

type Migrated<Made> = () => Promise<Made & Readonly<{ appUrl: string }> & AsyncDisposable>

export async function openStores<Made, Stores>(migrated: Migrated<Made>, toStores: (db: Database) => Stores) {
  const database = await migrated()
  const db = new Database(openPool(database.appUrl), checkSchema)
  return {
    ...toStores(db),
    database,
    db,
    async [Symbol.asyncDispose]() {
      await db[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
