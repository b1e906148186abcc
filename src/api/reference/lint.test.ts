/** What others make of docs/openapi.json: Redocly's rules, and the types of a generated client. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')
const DOCUMENT = join(ROOT, 'docs/openapi.json')
/** It would otherwise ask its registry for a newer version. */
const OFFLINE = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

const run = (script: string, args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: OFFLINE,
    maxBuffer: 16 * 1024 * 1024,
  })

test("the document passes Redocly's recommended rules without errors or warnings", async () => {
  const { stdout } = await run('node_modules/@redocly/cli/bin/cli.js', [
    'lint',
    DOCUMENT,
    '--format',
    'json',
    '--max-problems',
    '50',
  ])
  const { totals, problems } = JSON.parse(stdout)
  assert.deepEqual({ ...totals, problems }, { errors: 0, warnings: 0, ignored: 0, problems: [] })
})

test('a generated client has types by name', async () => {
  const { stdout: types } = await run('console/node_modules/openapi-typescript/bin/cli.js', [DOCUMENT])
  for (const name of ['SendSmsRequest', 'SendAccepted', 'Message', 'MessagePage', 'Endpoint', 'ApiKey', 'Problem']) {
    assert.match(types, new RegExp(`^        ${name}: \\{$`, 'm'))
  }
  assert.match(types, /^ {8}MessageStatus: "queued" \| "sending" \| "sent" \| "delivered" \| "failed" \| "expired";$/m)
  assert.match(types, /^ {16}"application\/json": components\["schemas"\]\["SendSmsRequest"\];$/m)
})
