/** The generated files of the clients are those of docs/openapi.json, and the clients depend on nothing of ours. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { CLIENTS, renderClients } from '../../../clients/generate/clients.ts'
import { type OpenApi, readDocuments } from '../../../clients/generate/document.ts'
import { toOperations } from '../../../clients/generate/operations.ts'
import { ROOT } from '../../support/command.ts'

const { api } = readDocuments(join(ROOT, 'docs'))

for (const [path, text] of Object.entries(renderClients())) {
  test(`clients/${path} is up to date`, () => {
    assert.equal(readFileSync(join(CLIENTS, path), 'utf8'), text, 'stale: run npm run clients')
  })
}

test('every operation is in the clients, but callbacks, redirects and the event stream', () => {
  const documented = Object.values(api.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  const known = new Set(toOperations(api).map(({ id }) => id))
  assert.deepEqual(
    documented.filter((id) => !known.has(id)),
    [
      'streamEvents',
      'startOidcSignIn',
      'finishOidcSignIn',
      'receiveProviderCallback',
      'receiveProviderCallbackByGet',
      'receiveSmsCallback',
    ],
  )
})

test('calls with an idempotency key, and those that change nothing, may be repeated', () => {
  const repeatable = new Map(toOperations(api).map(({ id, repeatable: how }) => [id, how]))
  for (const id of ['sendSms', 'sendEmail', 'generateOtp', 'createErasure'])
    assert.equal(repeatable.get(id), 'with-key')
  for (const id of ['listMessages', 'setLimit', 'removeRoute', 'sendBatch', 'previewTemplate'])
    assert.equal(repeatable.get(id), 'always', id)
  for (const id of ['resendMessage', 'validateOtp', 'changeRoute', 'sendToUser', 'replayDeadLetters'])
    assert.equal(repeatable.get(id), 'never', id)
})

test('two operations with one name are refused', () => {
  const messages = api.paths['/v1/messages']?.['get']
  assert.ok(messages !== undefined)
  const twice = { ...messages, operationId: 'listMessage' }
  const doubled: OpenApi = { ...api, paths: { ...api.paths, '/v2/messages': { get: twice } } }
  assert.throws(() => toOperations(doubled), /both be messages\.list/)
})

test('the Node client may import neither packages, nor Node, nor anything of ours', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-fences-'))
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'))
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }))
  const lint = (from: string, to: string): number | null => {
    const file = join(folder, from)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `import '${to}'\n`)
    const args = ['lint', '--only=style/noRestrictedImports', from]
    return spawnSync(join(ROOT, 'node_modules/.bin/biome'), args, { cwd: folder }).status
  }
  assert.equal(lint('clients/node/src/a.ts', './b.ts'), 0)
  assert.equal(lint('clients/generate/a.ts', './b.ts'), 0)
  for (const to of ['node:fs', 'undici', '../../../src/lib/time.ts']) assert.equal(lint('clients/node/src/a.ts', to), 1)
  assert.equal(lint('clients/generate/a.ts', '../../src/lib/time.ts'), 1)
  rmSync(folder, { recursive: true })
})
