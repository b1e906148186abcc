import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../lib/time.ts'
import { run } from './test-world.ts'
import type { BackedUp, Restored, World } from './world.ts'

const DONE: BackedUp = {
  file: '/backups/b.db',
  schema: 6,
  messages: 2,
  events: 9,
  bytes: 3_400_000,
  included: [],
  apart: ['master.key', 'jwt.secret'],
}
const RESTORED: Restored = {
  folder: '/data',
  schema: 6,
  messages: 2,
  events: 9,
  waiting: 3,
  madeAt: instant(Date.parse('2030-01-30T10:00:00Z')),
  keys: [],
  skipped: [],
  aside: undefined,
}
const backingUp = (done: BackedUp) => ({ backupData: async () => done })
const restoring = (done: Restored) => ({ restoreData: async () => done })

test('backup prints what it wrote and which keys to store separately', async () => {
  const { code, out } = await run(['backup', 'b.db'], { env: { POMBO_DATA_DIR: '/data' }, ...backingUp(DONE) })
  assert.equal(code, 0)
  assert.deepEqual(out.trimEnd().split('\n'), [
    '/backups/b.db: 2 messages with 9 events, 3.2 MiB, verified, in 0 ms',
    'The backup contains no keys.',
    'Store separately:',
    '  /data/master.key: without it the messages in the backup cannot be read',
    '  /data/jwt.secret: without it all issued tokens become invalid',
    'Messages erased after this backup can still be read with it: delete old backups.',
  ])
})

test('backup warns about included keys and lists no others', async () => {
  const done = { ...DONE, included: ['master.key', 'jwt.secret'], apart: [] }
  const { out } = await run(['backup', '--with-keys', 'b.db'], backingUp(done))
  assert.match(out, /^The backup contains master\.key and jwt\.secret: protect it like a key\.$/m)
  assert.doesNotMatch(out, /Store separately/)
})

test('backup names POMBO_MASTER_KEY, never its value', async () => {
  const key = 'ab'.repeat(32)
  const env = { POMBO_MASTER_KEY: key, POMBO_DATA_DIR: '/data' }
  const { out } = await run(['backup', 'b.db'], { env, ...backingUp({ ...DONE, apart: ['jwt.secret'] }) })
  assert.match(out, /^ {2}POMBO_MASTER_KEY: without it the messages in the backup cannot be read$/m)
  assert.ok(!out.includes(key))
})

test('backup and restore pass their options on', async () => {
  const calls: unknown[] = []
  const note = <Done>(done: Done): ((...args: readonly unknown[]) => Promise<Done>) => {
    return async (_config, ...rest) => {
      calls.push(rest)
      return done
    }
  }
  const world: Partial<World> = { backupData: note(DONE), restoreData: note(RESTORED) }
  await run(['backup', 'b.db'], world)
  await run(['backup', 'b.db', '--force', '--with-keys'], world)
  await run(['restore', 'b.db'], world)
  await run(['restore', 'b.db', '--force'], world)
  assert.deepEqual(calls, [
    ['b.db', { force: false, withKeys: false }],
    ['b.db', { force: true, withKeys: true }],
    ['b.db', { force: false }],
    ['b.db', { force: true }],
  ])
})

test('restore prints the time of the backup, what is missing, and how to inspect the data before sending', async () => {
  const { code, out } = await run(['restore', 'b.db'], restoring(RESTORED))
  assert.equal(code, 0)
  assert.deepEqual(out.trimEnd().split('\n'), [
    '/data now has 2 messages with 9 events, as of 2030-01-30 10:00:00Z.',
    'Messages accepted after 2030-01-30 10:00:00Z are missing. Messages erased after it can be read again: erase them again.',
    '3 messages are waiting to be sent or retried. Those that were sent after the backup will be sent AGAIN.',
    'To inspect the data without sending:  pombo serve --roles api,callbacks,poller,projector',
    'To resume sending:                    pombo serve',
  ])
  const other = { ...RESTORED, waiting: 0, madeAt: undefined, keys: ['master.key'], aside: '/data/replaced-x' }
  const second = await run(['restore', 'b.db'], restoring(other))
  assert.match(second.out, /^\/data now has .* as of the time of the backup\.$/m)
  assert.match(second.out, /^Restored master\.key from the backup\.\nThe previous files are in \/data\/replaced-x\.$/m)
  assert.match(second.out, /^No messages are waiting to be sent, except any of the last second before the backup\.$/m)
})

test('restore names a key that it did not restore', async () => {
  const { out } = await run(['restore', 'b.db'], restoring({ ...RESTORED, skipped: ['jwt.secret'] }))
  assert.match(out, /^Did not restore jwt\.secret, because \/data has a different one\. To use .* with --force\.$/m)
})

test('both print JSON with --json', async () => {
  const backup = await run(['backup', '--json', 'b.db'], backingUp(DONE))
  assert.deepEqual(JSON.parse(backup.out), { ...DONE, took_ms: 0 })
  const { madeAt: _, aside: __, ...rest } = RESTORED
  const restore = await run(['restore', '--json', 'b.db'], restoring(RESTORED))
  assert.deepEqual(JSON.parse(restore.out), { ...rest, made_at: '2030-01-30T10:00:00.000Z' })
})

test('both require a file', async () => {
  for (const command of ['backup', 'restore']) assert.equal((await run([command])).code, 2)
})
