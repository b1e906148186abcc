import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { type Folder, openFolder } from '../../../test/support/folder.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const FILES = {
  'index.html': '<!doctype html><title>Pombo</title>',
  'favicon.svg': '<svg/>',
  'assets/main-3f9a2b1c.js': 'plain',
  'assets/main-3f9a2b1c.js.br': 'brotli',
  'assets/main-3f9a2b1c.js.gz': 'gzip',
  'assets/main-3f9a2b1c.css': 'css',
}

/** The API with a built console, and a file outside its folder. */
async function open() {
  await using opened = new AsyncDisposableStack()
  const folder: Folder = opened.use(await openFolder())
  const consoleFolder = join(folder.path, 'dist')
  await writeFile(join(dirname(consoleFolder), 'secret.txt'), 'confidential')
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(consoleFolder, path)), { recursive: true })
    await writeFile(join(consoleFolder, path), text)
  }
  await symlink('../secret.txt', join(consoleFolder, 'link.txt'))
  const { app } = opened.use(await openFixture(world, { consoleFolder }))
  const closing = opened.move()
  return { app, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

test('serves the page, uncached, for every path without a file', async () => {
  await using api = await open()
  for (const path of ['', '/', '/index.html', '/messages/3f1c', '/messages?status=failed', '/link.txt']) {
    const answer = await api.app.inject(`/console${path}`)
    assert.deepEqual([answer.statusCode, answer.body], [200, FILES['index.html']], path)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(answer.headers['cache-control'], 'no-cache')
  }
})

test('hashed files are immutable, and a missing one is 404', async () => {
  await using api = await open()
  const script = await api.app.inject('/console/assets/main-3f9a2b1c.js')
  assert.deepEqual([script.body, script.headers['content-type']], ['plain', 'text/javascript; charset=utf-8'])
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal((await api.app.inject('/console/favicon.svg')).headers['cache-control'], 'no-cache')
  assert.equal((await api.app.inject('/console/assets/main-old.js')).statusCode, 404)
})

test('sends the compressed file that the browser accepts', async () => {
  await using api = await open()
  for (const [accepted, body, encoding] of [
    ['gzip, deflate, br', 'brotli', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip', 'gzip'],
    ['GZIP', 'gzip', 'gzip'],
    ['identity', 'plain', undefined],
  ] as const) {
    const headers = { 'accept-encoding': accepted }
    const answer = await api.app.inject({ url: '/console/assets/main-3f9a2b1c.js', headers })
    assert.deepEqual([answer.body, answer.headers['content-encoding']], [body, encoding], accepted)
    assert.equal(answer.headers['vary'], 'accept-encoding')
    assert.equal((await api.app.inject({ url: '/console/favicon.svg', headers })).body, '<svg/>')
  }
})

test('pages load only same-origin content and cannot be framed', async () => {
  await using api = await open()
  const { headers } = await api.app.inject('/console/')
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  assert.deepEqual(
    [headers['x-content-type-options'], headers['referrer-policy'], headers['cross-origin-opener-policy']],
    ['nosniff', 'no-referrer', 'same-origin'],
  )
})

test('no path leaves the folder', async () => {
  await using api = await open()
  for (const path of ['../secret.txt', '..%2fsecret.txt', '%2e%2e/secret.txt', 'assets/..%2f..%2fsecret.txt', '%00']) {
    const answer = await api.app.inject(`/console/${path}`)
    assert.ok(!answer.body.includes('confidential'), path)
    assert.ok([200, 404].includes(answer.statusCode), `${path} ${answer.statusCode}`)
  }
})

test('redirects / to the console, or to /docs when the console is not built', async () => {
  await using api = await open()
  const { statusCode, headers } = await api.app.inject('/')
  assert.deepEqual([statusCode, headers.location], [302, '/console/'])
  await using bare = await openFixture(world, { consoleFolder: '/nowhere/at/all' })
  assert.equal((await bare.app.inject('/')).headers.location, '/docs')
})

test('explains how to build the console when it is not built', async () => {
  await using api = await openFixture(world, { consoleFolder: '/nowhere/at/all' })
  for (const path of ['/console', '/console/messages', '/console/assets/main.js']) {
    const answer = await api.app.inject(path)
    assert.equal(answer.statusCode, 404)
    assert.match(answer.body, /^The console is not built: run `npm run build:console`/)
    assert.match(String(answer.headers['content-type']), /^text\/plain/)
  }
})

test('the console is read-only and not in the OpenAPI document', async () => {
  await using api = await open()
  assert.equal((await api.app.inject({ method: 'HEAD', url: '/console/' })).statusCode, 200)
  assert.equal((await api.app.inject({ method: 'POST', url: '/console/' })).statusCode, 405)
  assert.ok(!(await api.app.inject('/openapi.json')).body.includes('"/console'))
  assert.equal((await api.app.inject('/elsewhere')).statusCode, 404)
  await using other = await openFixture(world, { serves: { api: false, callbacks: true } })
  assert.deepEqual(
    [(await other.app.inject('/console')).statusCode, (await other.app.inject('/')).statusCode],
    [404, 404],
  )
})
