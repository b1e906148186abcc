/** The package as its user has it: packed from this checkout, and installed by npm into an empty folder. */
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, type Ended, type Env, ROOT, startProgram } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'

/** What npm installed, by its path below the folder. */
export type Entry = Readonly<{ version: string; dependencies?: Readonly<Record<string, string>> }>

export type Installed = AsyncDisposable &
  Readonly<{
    /** What the package has, relative to it. */
    files: readonly string[]
    packages: ReadonlyMap<string, Entry>
    /** Of the package itself. */
    path: string
    sizes: Readonly<{ tarballBytes: number; packedMs: number; installedMs: number; installedBytes: number }>
    /** Runs `npx pombo` in the folder. */
    start: (args: readonly string[], env?: Env) => Command
    run: (args: readonly string[], env?: Env) => Promise<Ended>
  }>

/** npm finds its settings and its cache by the environment; ours must not configure the gateway. */
const ENV = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('POMBO_') || name.startsWith('NODE_') ? [] : [[name, value]],
  ),
)

async function npm(args: readonly string[], cwd: string): Promise<Ended & Readonly<{ ms: number }>> {
  const begunAt = performance.now()
  const ended = await startProgram('npm', args, { cwd, env: ENV }).ended
  assert.equal(ended.code, 0, `npm ${args.join(' ')}: ${ended.err}`)
  return { ...ended, ms: performance.now() - begunAt }
}

/** The CycloneDX document that `npm run sbom` prints. */
export const readSbom = async (): Promise<Readonly<{ text: string; names: readonly string[] }>> => {
  const { out } = await npm(['run', '--silent', 'sbom'], ROOT)
  const { components } = JSON.parse(out) as { components: readonly { name: string; version: string }[] }
  return { text: out, names: components.map(({ name, version }) => `${name}@${version}`) }
}

export async function installPackage(): Promise<Installed> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await openFolder())
  const home = join(folder.path, 'empty')
  await mkdir(home)
  const { ms: packedMs } = await npm(['pack', '--pack-destination', folder.path], ROOT)
  const [tarball = ''] = globSync('*.tgz', { cwd: folder.path })
  const { ms: installedMs } = await npm(['install', join('..', tarball), '--prefer-offline'], home)
  const path = join(home, 'node_modules/pombo')
  const start: Installed['start'] = (args, env) =>
    startProgram('npx', ['pombo', ...args], { cwd: home, env: { ...ENV, ...env } })
  const closing = opened.move()
  return {
    files: filesIn(path),
    packages: packagesIn(home),
    path,
    sizes: {
      tarballBytes: statSync(join(folder.path, tarball)).size,
      packedMs,
      installedMs,
      installedBytes: filesIn(home).reduce((sum, file) => sum + statSync(join(home, file)).size, 0),
    },
    start,
    run: (args, env) => start(args, env).ended,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

const filesIn = (folder: string): readonly string[] =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))

function packagesIn(home: string): ReadonlyMap<string, Entry> {
  const lock = JSON.parse(readFileSync(join(home, 'package-lock.json'), 'utf8')) as { packages: Record<string, Entry> }
  return new Map(Object.entries(lock.packages).filter(([path]) => path !== ''))
}

/** The name of a package by its path, such as `node_modules/a/node_modules/@b/c`. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
