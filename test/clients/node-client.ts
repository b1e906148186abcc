/** The Node client as its user has it: packed, and installed by npm into an empty folder without a network. */
import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, join, sep } from 'node:path'
import { type Ended, type Env, ROOT, startProgram } from '../support/command.ts'

const HOME = process.env['HOME'] ?? ''

export type NodeClient = Readonly<{
  /** The folder in which it is installed. */
  home: string
  /** What the package has, relative to it. */
  files: readonly string[]
}>

export async function installNodeClient(folder: string): Promise<NodeClient> {
  const home = join(folder, 'app')
  await mkdir(home)
  await run('npm', ['pack', '--pack-destination', folder], join(ROOT, 'clients/node'), { HOME })
  const [tarball = ''] = globSync('*.tgz', { cwd: folder })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'app', type: 'module' }))
  await run('npm', ['install', '--offline', join('..', tarball)], home, { HOME })
  const path = join(home, 'node_modules/pombo-client')
  const files = globSync('**', { cwd: path, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1))
  return { home, files }
}

/** Fails with what the program wrote if it does not succeed. */
export async function run(program: string, args: readonly string[], cwd: string, env: Env = {}): Promise<Ended> {
  const ended = await startProgram(program, args, { cwd, env }).ended
  assert.equal(ended.code, 0, `${program} ${args.join(' ')}: ${ended.err}${ended.out}`)
  return ended
}

/** The Node that runs the tests, and the one of the system, which is older here. */
export function findNodes(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes(`${sep}node_modules`))
  const system = folders.flatMap((path) => globSync('node', { cwd: path }).map((name) => join(path, name)))[0]
  return [...new Set([process.execPath, ...(system === undefined ? [] : [system])])]
}

export const readManifest = ({ home }: NodeClient): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(home, 'node_modules/pombo-client/package.json'), 'utf8')) as Record<string, unknown>
