/** `npm run lint` refuses imports across the folders of `src/`, as ARCHITECTURE.md says, and allows those within. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const BIOME = join(ROOT, 'node_modules/.bin/biome')

/** A file of each folder, and imports that are allowed and forbidden there. */
const FENCES: readonly (readonly [from: string, allowed: readonly string[], forbidden: readonly string[]])[] = [
  ['lib/a.ts', ['lib/b.ts'], ['domain/ids.ts', 'ports/queue.ts']],
  ['domain/a.ts', ['lib/time.ts', 'domain/b.ts'], ['ports/queue.ts', 'flows/record.ts']],
  ['domain/message/a.ts', ['lib/time.ts', 'domain/ids.ts', 'domain/routing/b.ts'], ['ports/queue.ts', 'api/server.ts']],
  ['ports/a.ts', ['lib/time.ts', 'domain/ids.ts'], ['flows/record.ts', 'engines/nats/b.ts']],
  ['flows/a.ts', ['lib/time.ts', 'domain/ids.ts', 'ports/queue.ts'], ['engines/nats/b.ts', 'config/config.ts']],
  ['flows/send/a.ts', ['lib/time.ts', 'flows/record.ts', 'ports/queue.ts'], ['engines/nats/b.ts', 'api/server.ts']],
  [
    'engines/nats/a.ts',
    ['lib/time.ts', 'ports/queue.ts', 'engines/shared/b.ts'],
    ['engines/sqlite/b.ts', 'flows/b.ts'],
  ],
  [
    'engines/sqlite/log/a.ts',
    ['lib/time.ts', 'ports/queue.ts', 'engines/shared/b.ts', 'engines/sqlite/b.ts', 'engines/sqlite/queue/b.ts'],
    ['engines/nats/b.ts', 'flows/b.ts'],
  ],
  ['providers/a.ts', ['lib/time.ts', 'ports/provider.ts'], ['flows/record.ts', 'engines/nats/b.ts']],
  ['providers/ses/a.ts', ['lib/time.ts', 'providers/b.ts'], ['providers/smtp/b.ts', 'flows/record.ts']],
  ['api/a.ts', ['flows/record.ts', 'ports/queue.ts'], ['engines/nats/b.ts', 'cli/run.ts']],
  ['api/send/a.ts', ['flows/record.ts', 'api/http/b.ts'], ['engines/nats/b.ts', 'providers/kind.ts']],
  ['workers/a.ts', ['flows/record.ts', 'lib/time.ts'], ['engines/nats/b.ts', 'api/server.ts']],
  ['listeners/a.ts', ['flows/record.ts', 'lib/time.ts'], ['engines/nats/b.ts', 'api/server.ts']],
  [
    'listeners/smtp/a.ts',
    ['flows/record.ts', 'lib/time.ts', 'listeners/b.ts'],
    ['listeners/smpp/b.ts', 'engines/nats/b.ts', 'api/server.ts'],
  ],
  ['mcp/a.ts', ['domain/ids.ts', 'lib/time.ts', 'mcp/b.ts'], ['cli/client.ts', 'flows/record.ts', 'api/server.ts']],
  [
    'mcp/tools/a.ts',
    ['domain/ids.ts', 'lib/time.ts', 'mcp/b.ts', 'mcp/tools/b.ts'],
    ['mcp/transports/b.ts', 'cli/client.ts', 'flows/record.ts', 'config/config.ts'],
  ],
  ['observe/a.ts', ['ports/queue.ts', 'domain/ids.ts'], ['flows/record.ts', 'api/server.ts']],
  [
    'observe/metrics/a.ts',
    ['ports/queue.ts', 'domain/ids.ts', 'lib/time.ts'],
    ['flows/record.ts', 'engines/nats/b.ts'],
  ],
  ['config/a.ts', ['domain/ids.ts', 'providers/registry.ts'], ['flows/record.ts', 'providers/ses/ses.ts']],
  ['cli/a.ts', ['config/config.ts', 'lib/time.ts'], ['api/server.ts', 'profiles/profile.ts', 'flows/record.ts']],
  ['profiles/a.ts', ['engines/nats/b.ts', 'providers/kind.ts', 'flows/record.ts'], ['api/server.ts', 'cli/run.ts']],
]

test('every folder of src/ has import restrictions', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const fenced = new Set(FENCES.map(([from]) => from.split('/')[0]))
  assert.deepEqual(
    folders.map(({ name }) => name).filter((name) => !fenced.has(name)),
    [],
  )
})

test('forbidden imports are refused, and others are allowed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-fences-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'))
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }))

  const expected = new Map<string, boolean>()
  for (const [from, allowed, forbidden] of FENCES) {
    for (const [n, to] of [...allowed, ...forbidden].entries()) {
      const file = join('src', from.replace(/a\.ts$/, `import-${n}.ts`))
      const path = relative(dirname(file), join('src', to))
      mkdirSync(join(folder, dirname(file)), { recursive: true })
      writeFileSync(join(folder, file), `import '${path.startsWith('.') ? path : `./${path}`}'\n`)
      expected.set(`${file} imports ${to}`, n >= allowed.length)
    }
  }

  const { stdout } = spawnSync(
    BIOME,
    ['lint', '--only=style/noRestrictedImports', '--reporter=github', '--max-diagnostics=none', '.'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  const refused = new Set(stdout.match(/src\/[\w/-]+\.ts/g))
  for (const [name, isRefused] of expected) {
    assert.equal(
      refused.has(name.split(' ')[0] ?? ''),
      isRefused,
      `${name}: ${isRefused ? 'must be refused' : 'must be allowed'}`,
    )
  }
})
