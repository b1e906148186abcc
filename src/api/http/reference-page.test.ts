import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openFolder } from '../../../test/support/folder.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const FILES = {
  'index.html': 'the console',
  'reference/index.html': 'the reference',
  'reference/assets/main-3f9a2b1c.js': 'plain',
  'reference/assets/main-3f9a2b1c.js.br': 'brotli',
  'reference/assets/main-3f9a2b1c.js.gz': 'gzip',
}

async function open(files: Readonly<Record<string, string>> = FILES) {
  await using opened = new AsyncDisposableStack()
  const { path: consoleFolder } = opened.use(await openFolder())
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(consoleFolder, path)), { recursive: true })
    await writeFile(join(consoleFolder, path), text)
  }
  const { app } = opened.use(await openFixture(world, { consoleFolder }))
  const closing = opened.move()
  return { app, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

test('serves the API reference, uncached, under a policy that allows no script but its own', async () => {
  await using api = await open()
  for (const url of ['/docs', '/docs/']) {
    const { statusCode, body, headers } = await api.app.inject(url)
    assert.deepEqual([statusCode, body, headers['cache-control']], [200, 'the reference', 'no-cache'])
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /connect-src 'self'; .*frame-ancestors 'none'$/)
    assert.doesNotMatch(policy, /unsafe-eval|https:|upgrade-insecure-requests/)
  }
})

test('its files are compressed and immutable, and a missing one is 404', async () => {
  await using api = await open()
  const get = (headers: Readonly<Record<string, string>>) =>
    api.app.inject({ url: '/docs/assets/main-3f9a2b1c.js', headers })
  for (const [accepted, body] of [
    ['gzip, deflate, br', 'brotli'],
    ['gzip', 'gzip'],
    ['identity', 'plain'],
  ] as const) {
    const answer = await get({ 'accept-encoding': accepted })
    assert.equal(answer.body, body)
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
  }
  for (const path of ['main-old.js', '..%2Findex.html', 'main-3f9a2b1c.js.br']) {
    assert.equal((await api.app.inject(`/docs/assets/${path}`)).statusCode, 404, path)
  }
})

test('the console does not serve the files of the reference', async () => {
  await using api = await open()
  assert.equal((await api.app.inject('/console/reference/assets/main-3f9a2b1c.js')).body, 'the console')
})

test('a gateway without the page says what to do, and still serves the document', async () => {
  await using api = await open({})
  const page = await api.app.inject('/docs')
  assert.equal(page.statusCode, 404)
  assert.match(page.body, /npm run build:console.*\/openapi\.json\n$/)
  assert.equal((await api.app.inject('/docs/json')).statusCode, 200)
})
