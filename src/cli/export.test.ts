/** `pombo export`, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type Answer, openTestGateway, run } from './test-world.ts'

const MESSAGE = { id: 'm1', channel: 'sms', account_id: 'shop', status: 'sent', metadata: { note: 'a\u2028b' } }
const EVENTS = [{ event_type: 'MessageCreated' }, { event_type: 'HandoffAccepted' }]
const LINE = `${JSON.stringify({ ...MESSAGE, events: EVENTS })}\n`

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-export-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const answering =
  (text: string): Answer =>
  (_request, response) =>
    void response.setHeader('content-type', 'application/x-ndjson').end(text)

function read(folder: string, table: string, day: string): readonly unknown[] {
  const text = gunzipSync(readFileSync(join(folder, table, `day=${day}`, 'part.ndjson.gz'))).toString()
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted()

test('writes a file of messages and one of events for yesterday', async (t) => {
  await using gateway = await openTestGateway(answering(LINE + LINE))
  const folder = newFolder(t)
  const { code, out } = await run(['export', '--out', folder, '--tenant', 'acme', '--with-content'], gateway)
  assert.deepEqual([code, out], [0, '2030-01-30: 2 messages\n'])
  const events = EVENTS.map((event) => ({ message_id: 'm1', channel: 'sms', account_id: 'shop', ...event }))
  assert.deepEqual(read(folder, 'messages', '2030-01-30'), [MESSAGE, MESSAGE])
  assert.deepEqual(read(folder, 'events', '2030-01-30'), [...events, ...events])
  for (const file of filesIn(folder)) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600)
  const [request] = gateway.requests
  assert.equal(request?.headers['pombo-tenant'], 'acme')
  assert.deepEqual(Object.fromEntries(request?.query ?? []), { day: '2030-01-30', with_content: 'true' })
})

test('goes on with the days that are not there yet', async (t) => {
  await using gateway = await openTestGateway(answering(''))
  const folder = newFolder(t)
  const days = ['--out', folder, '--to', '2030-01-03']
  assert.equal((await run(['export', ...days, '--from', '2030-01-02'], gateway)).code, 0)
  const { out } = await run(['export', ...days, '--from', '2030-01-01'], gateway)
  assert.equal(out, '2030-01-01: 0 messages\n2030-01-02: exported before\n2030-01-03: exported before\n')
  await run(['export', ...days, '--again'], gateway)
  assert.deepEqual(
    gateway.requests.map(({ query }) => query.get('day')?.slice(-1)),
    ['2', '3', '1', '3'],
  )
})

test('a day that breaks off leaves no file', async (t) => {
  await using gateway = await openTestGateway((_request, response) => {
    response.write(LINE.repeat(2_000))
    setImmediate(() => response.destroy())
  })
  const folder = newFolder(t)
  const { code, err } = await run(['export', '--out', folder], gateway)
  assert.equal(code, 69)
  assert.match(err, /not exported/)
  assert.deepEqual(filesIn(folder), [])
})

test('refuses a day that is not over, and what is no day', async (t) => {
  const folder = newFolder(t)
  for (const argv of [
    ['--out', folder, '--to', '2030-01-31'],
    ['--out', folder, '--from', '2030-02-30'],
    ['--out', folder, '--from', '2030-01-02', '--to', '2030-01-01'],
    [],
  ]) {
    assert.equal((await run(['export', ...argv])).code, 2, argv.join(' '))
  }
})
