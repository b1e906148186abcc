/**
 * The modules that an entry file reaches, as JavaScript. Node strips no types below node_modules, so they are stripped
 * here, by Node itself. It leaves blanks in their place, and `.js` is as long as `.ts`: all lines and columns stay, and
 * a stack trace of the package points at the sources.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'

/** A relative path in quotes: in an import, or in the URL of a thread. */
const REFERENCE = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g

/** The code by path, relative to `root` like `entry`. Throws where one refers to a file that does not exist. */
export function modulesFrom(root: string, entry: string): ReadonlyMap<string, string> {
  const modules = new Map<string, string>()
  const waiting = [entry]
  for (const path of waiting) {
    const name = path.replace(/\.ts$/, '.js')
    if (modules.has(name)) continue
    const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'))
    waiting.push(...[...code.matchAll(REFERENCE)].map(([, , reference]) => join(dirname(path), `${reference}.ts`)))
    modules.set(name, code.replace(REFERENCE, '$1$2.js$1'))
  }
  return modules
}
