/**
 * `npm run sbom`: prints what a release consists of, as CycloneDX, from package-lock.json: the packages that it depends
 * on, and those that the console is bundled with. npm writes it, in a folder without development dependencies: with
 * `--omit dev` it leaves out every package that one of those needs as well (issue 7909 of npm/cli).
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FORMAT = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']

type Versions = Readonly<Record<string, string>>
type Manifest = Readonly<{
  name: string
  dependencies: Versions
  devDependencies?: Versions
  workspaces?: readonly string[]
}>
type Entry = Manifest & Readonly<{ version: string; dev?: true; link?: true }>
type Packages = Readonly<Record<string, Entry>>

const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const readJson = <Json>(path: string): Json => JSON.parse(readText(path)) as Json

/** The API reference has the bundle in this package, and nothing that the package depends on. */
const BUNDLE = '@scalar/fastify-api-reference'

/** Where the packages are that the console imports, and what they depend on. */
function bundledIn(packages: Packages): ReadonlySet<string> {
  const { devDependencies = {} } = readJson<Manifest>('console/package.json')
  const code = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).map(readText).join('\n')
  const imported = Object.keys(devDependencies).filter((name) => new RegExp(`from '${name}['/]`).test(code))
  const found = new Set(imported.map(pathOf))
  for (const path of found) {
    const entry = packages[path]
    if (entry === undefined) throw new Error(`package-lock.json has no ${path}`)
    for (const name of Object.keys(entry.dependencies ?? {})) found.add(pathOf(name))
  }
  return found.add(pathOf(BUNDLE))
}

const pathOf = (name: string): string => `node_modules/${name}`
const withoutDependencies = ({ dependencies: _, ...entry }: Omit<Entry, 'dev'>) => entry
const nameOf = (path: string): string => path.slice(pathOf('').length)

const lock = readJson<Readonly<{ packages: Packages }>>('package-lock.json')
const bundled = bundledIn(lock.packages)
const isReleased = ([path, { dev, link }]: readonly [string, Entry]): boolean =>
  path.startsWith(pathOf('')) && link !== true && (dev !== true || bundled.has(path))
const released = Object.entries(lock.packages).filter(isReleased)

const { devDependencies: _, workspaces: __, ...manifest } = readJson<Manifest>('package.json')
const bundledVersions = released.flatMap(([path, { version }]) => (bundled.has(path) ? [[nameOf(path), version]] : []))
const dependencies = { ...manifest.dependencies, ...Object.fromEntries(bundledVersions) }
const root = { ...manifest, dependencies }
const packages = {
  '': root,
  ...Object.fromEntries(
    released.map(([path, { dev: _, ...entry }]) => [
      path,
      path === pathOf(BUNDLE) ? withoutDependencies(entry) : entry,
    ]),
  ),
}

const temporary = mkdtempSync(join(tmpdir(), 'pombo-sbom-'))
// npm names the document after the folder.
const folder = join(temporary, manifest.name)
mkdirSync(folder)
writeFileSync(join(folder, 'package.json'), JSON.stringify(root))
writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }))
const { status } = spawnSync('npm', ['sbom', ...FORMAT], { cwd: folder, stdio: 'inherit' })
rmSync(temporary, { recursive: true })
process.exitCode = status ?? 1
