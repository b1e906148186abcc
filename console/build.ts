/**
 * Builds the console: generates the API types from the OpenAPI document, then bundles the page; and the API reference
 * beside it. `--if-changed` skips the build when dist is up to date or the build tools are not installed; `--types` only
 * checks types.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const HERE = import.meta.dirname
const DIST = join(HERE, 'dist')
const DOCUMENT = join(HERE, '../docs/openapi.json')
const SCHEMA = join(HERE, 'src/api/schema.gen.d.ts')
const COMPRESSED = /\.(?:js|css|html|svg)$/

async function main(args: ReadonlySet<string>): Promise<void> {
  if (args.has('--types')) {
    describeApi()
    run('typescript/bin/tsc', ['-p', HERE])
    return
  }
  if (args.has('--if-changed') && (!isInstalled() || isFresh())) return
  describeApi()
  process.stdout.write('building the console\n')
  run('vite/bin/vite.js', ['build', HERE, '--logLevel', 'warn'])
  // Loaded only now: without the build tools there is nothing to load.
  const { buildReference } = await import('./reference/build.ts')
  await buildReference(join(DIST, 'reference'))
  for (const file of filesBelow(DIST)) if (COMPRESSED.test(file)) compress(file)
}

const packageFile = (path: string): string | undefined =>
  [join(HERE, 'node_modules', path), join(HERE, '../node_modules', path)].find((file) => existsSync(file))

const isInstalled = (): boolean => packageFile('vite/bin/vite.js') !== undefined

/** Whether dist is newer than every source. */
function isFresh(): boolean {
  const page = join(DIST, 'index.html')
  if (!existsSync(page)) return false
  const builtAt = statSync(page).mtimeMs
  const sources = [DOCUMENT, ...['index.html', 'vite.config.ts', 'package.json'].map((file) => join(HERE, file))]
  return [...sources, ...['src', 'reference'].flatMap((folder) => filesBelow(join(HERE, folder)))].every(
    (file) => file === SCHEMA || statSync(file).mtimeMs <= builtAt,
  )
}

/** Regenerates the API types when the OpenAPI document has changed. */
function describeApi(): void {
  if (existsSync(SCHEMA) && statSync(SCHEMA).mtimeMs >= statSync(DOCUMENT).mtimeMs) return
  // A field with a default may be missing in a request.
  const optional = '--default-non-nullable=false'
  run('openapi-typescript/bin/cli.js', [DOCUMENT, optional, '--output', SCHEMA], 'ignore')
}

function run(path: string, args: readonly string[], stdout: 'inherit' | 'ignore' = 'inherit'): void {
  const file = packageFile(path)
  if (file === undefined) throw new Error(`${path} is not installed: run npm ci`)
  const { status } = spawnSync(process.execPath, [file, ...args], { cwd: HERE, stdio: ['ignore', stdout, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

function compress(file: string): void {
  const bytes = readFileSync(file)
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(`${file}.br`, brotliCompressSync(bytes))
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

await main(new Set(process.argv.slice(2)))
