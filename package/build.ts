/**
 * `npm pack` runs this (prepack): it writes dist/, which the package has in place of src/. Git ignores dist/, and a clone
 * never runs it.
 */
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { modulesFrom } from './modules.ts'

const ROOT = join(import.meta.dirname, '..')
const [SOURCES, DIST] = [join(ROOT, 'src'), join(ROOT, 'dist')]
/** What the code reads besides its modules. */
const DATA = '**/*.sql'

rmSync(DIST, { recursive: true, force: true })
const modules = modulesFrom(SOURCES, 'main.ts')
for (const [path, code] of modules) {
  const file = join(DIST, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, code)
}
for (const path of globSync(DATA, { cwd: SOURCES })) cpSync(join(SOURCES, path), join(DIST, path))
process.stdout.write(`dist/ has ${modules.size} modules\n`)
