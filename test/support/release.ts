/** A later release of Pombo: the current sources plus more migrations. */
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ended, type Env, ROOT, runPombo } from './command.ts'
import { openFolder } from './folder.ts'
import { addMigration } from './migrations.ts'

export type Release = AsyncDisposable &
  Readonly<{
    /** The main file to run instead of `src/main.ts`. */
    main: string
    /** The schema version that this release expects. */
    schema: number
    migrate: (settings: Env) => Promise<Ended>
  }>

export async function openRelease(...migrations: readonly [string, ...string[]]): Promise<Release> {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await openFolder())
  const isNeeded = (source: string): boolean => !/\.(?:test|contract|fixture)\.ts$/.test(source)
  await cp(join(ROOT, 'src'), join(path, 'src'), { recursive: true, filter: isNeeded })
  for (const name of ['node_modules', 'package.json']) await symlink(join(ROOT, name), join(path, name))
  let schema = 0
  for (const sql of migrations) schema = await addMigration(join(path, 'src/engines/postgres/migrations'), 'later', sql)
  const main = join(path, 'src/main.ts')
  const closing = opened.move()
  return {
    main,
    schema,
    migrate: (settings) => runPombo(['migrate', '--json'], settings, main),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
