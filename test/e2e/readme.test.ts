/**
 * Runs every `sh` block of the README as printed, in order, in one shell. Only curl's configuration redirects its calls
 * to the port of the test's gateway and makes it fail on an HTTP error.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { loadConfig } from '../../src/config/config.ts'
import { ROOT } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, startGateway } from '../support/gateway.ts'

/** The one block that is not run: a test must not reinstall its own dependencies. */
const START = 'npm ci && npm start\n'
const README_ADDRESS = '127.0.0.1:8080'
const MARK = '=== end of block ==='
const WITHIN_MS = 90_000

const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
/** Each `sh` block, with the answer shown right below it, if any. */
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```json\n([\s\S]*?)^```\n)?/gm)].map(
  ([, script = '', shown]) => ({ script, shown }),
)

test('npm start runs `pombo serve`', async () => {
  assert.equal(blocks[0]?.script, START)
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  assert.match(scripts.start, /&& node bin\/pombo\.cjs serve$/)
})

test('every command of the README succeeds and answers in the shape shown', { timeout: 2 * WITHIN_MS }, async () => {
  await using folder = await openFolder()
  await using gateway = await startGateway({ folder: folder.path })
  const { host, port } = new URL(gateway.url)
  const curlrc = [`connect-to = "${README_ADDRESS}:${host}"`, 'fail-with-body', 'show-error', '']
  await writeFile(join(folder.path, '.curlrc'), curlrc.join('\n'))
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    CURL_HOME: folder.path,
    POMBO_PORT: port,
    POMBO_DATA_DIR: dataDirOf(folder.path),
  }

  const rest = blocks.slice(1)
  const script = rest.map((block) => `${block.script}printf '\\n${MARK}\\n'\n`).join('')
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: ROOT, env, timeout: WITHIN_MS })

  const outputs = stdout.split(`${MARK}\n`)
  const answered = rest.flatMap(({ shown }, n) => (shown === undefined ? [] : [{ shown, output: outputs[n] ?? '' }]))
  assert.ok(answered.length > 1)
  for (const { shown, output } of answered) assertShape(JSON.parse(output), JSON.parse(shown))
})

test('the configuration shown is valid', () => {
  const [, config = ''] = /^```json\n(\{\n {2}"providers"[\s\S]*?)^```$/m.exec(readme) ?? []
  const env = {
    POMBO_CONFIG: 'pombo.json',
    POMBO_PUBLIC_URL: 'https://pombo.example',
    TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    TWILIO_AUTH_TOKEN: 'not-a-secret',
  }
  const { providers } = loadConfig(env, () => config)
  assert.deepEqual(
    providers.map(({ name }) => name),
    ['twilio'],
  )
})

/** The README may leave fields out, but shows none that the answer lacks or has in another type. */
function assertShape(answer: Record<string, unknown>, shown: Record<string, unknown>): void {
  const typesIn = (fields: Record<string, unknown>) =>
    Object.fromEntries(Object.keys(shown).map((name) => [name, typeof fields[name]]))
  assert.deepEqual(typesIn(answer), typesIn(shown), JSON.stringify(answer))
}
