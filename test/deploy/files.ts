/** Reads the files of deploy/ strictly: a duplicate key or a parser warning is an error. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

export const ROOT = join(import.meta.dirname, '../..')
export const DEPLOY = join(ROOT, 'deploy')

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Every file under deploy/, relative to the repository. */
export const deployFiles = (): string[] =>
  readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))

export const yamlFiles = (): string[] => deployFiles().filter((path) => /\.ya?ml$/.test(path))

/** The documents of a YAML text; throws on warnings too. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text, { uniqueKeys: true, strict: true, merge: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem !== undefined) throw problem
    return document.toJS()
  })
}

export const yamlIn = (path: string): unknown[] => parseYaml(textOf(path))

/** The lines `NAME=value` of an environment file. */
export const envIn = (path: string): Record<string, string> =>
  Object.fromEntries(
    textOf(path)
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
