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

test('backup tells what it wrote, and what is needed besides', async () => {
  const { code, out } = await run(['backup', 'b.db'], { env: { POMBO_DATA_DIR: '/data' }, ...backingUp(DONE) })
  assert.equal(code, 0)
  assert.deepEqual(out.trimEnd().split('\n'), [
    '/backups/b.db: 2 messages with 9 events, 3.2 MiB, checked; it took 0 ms',
    'The backup holds no keys.',
    'Keep in another place:',
    '  /data/master.key: without it nothing in the backup can be read',
    '  /data/jwt.secret: without it every token ends',
    'Messages that are erased from now on can still be read with this backup: delete backups in time.',
  ])
})

test('backup warns of keys that are in the file, and names none that are not needed', async () => {
  const done = { ...DONE, included: ['master.key', 'jwt.secret'], apart: [] }
  const { out } = await run(['backup', '--with-keys', 'b.db'], backingUp(done))
  assert.match(out, /^The backup holds master\.key and jwt\.secret: guard it like a key\.$/m)
  assert.doesNotMatch(out, /another place/)
})

test('backup names a master key of the settings, never its value', async () => {
  const key = 'ab'.repeat(32)
  const env = { POMBO_MASTER_KEY: key, POMBO_DATA_DIR: '/data' }
  const { out } = await run(['backup', 'b.db'], { env, ...backingUp({ ...DONE, apart: ['jwt.secret'] }) })
  assert.match(out, /^ {2}POMBO_MASTER_KEY: without it nothing in the backup can be read$/m)
  assert.ok(!out.includes(key))
})

test('backup and restore pass on what they were told', async () => {
  const told: unknown[] = []
  const note = <Done>(done: Done): ((...args: readonly unknown[]) => Promise<Done>) => {
    return async (_config, ...rest) => {
      told.push(rest)
      return done
    }
  }
  const world: Partial<World> = { backupData: note(DONE), restoreData: note(RESTORED) }
  await run(['backup', 'b.db'], world)
  await run(['backup', 'b.db', '--force', '--with-keys'], world)
  await run(['restore', 'b.db'], world)
  await run(['restore', 'b.db', '--force'], world)
  assert.deepEqual(told, [
    ['b.db', { force: false, withKeys: false }],
    ['b.db', { force: true, withKeys: true }],
    ['b.db', { force: false }],
    ['b.db', { force: true }],
  ])
})

test('restore tells how far back it went, what that means, and how to look before sending', async () => {
  const { code, out } = await run(['restore', 'b.db'], restoring(RESTORED))
  assert.equal(code, 0)
  assert.deepEqual(out.trimEnd().split('\n'), [
    '/data holds 2 messages with 9 events, as of 2030-01-30 10:00:00Z.',
    'Messages accepted since 2030-01-30 10:00:00Z are not in it, and messages erased since can be read again: erase them again.',
    '3 messages were waiting to be sent or retried. Those that were sent since will be sent AGAIN.',
    'To look first, without sending anything:  pombo serve --roles api,callbacks,poller,projector',
    'To send again:                            pombo serve',
  ])
  const other = { ...RESTORED, waiting: 0, madeAt: undefined, keys: ['master.key'], aside: '/data/replaced-x' }
  const second = await run(['restore', 'b.db'], restoring(other))
  assert.match(second.out, /^\/data holds .* as of the time of the backup\.$/m)
  assert.match(
    second.out,
    /^From the backup came also master\.key\.\nWhat was there before is in \/data\/replaced-x\.$/m,
  )
  assert.match(second.out, /^No message was waiting to be sent\.$/m)
})

test('restore names a key of the backup that it did not restore', async () => {
  const { out } = await run(['restore', 'b.db'], restoring({ ...RESTORED, skipped: ['jwt.secret'] }))
  assert.match(out, /^jwt\.secret was not restored, because \/data has another one\. To use .* with --force\.$/m)
})

test('both tell a script the same', async () => {
  const backup = await run(['backup', '--json', 'b.db'], backingUp(DONE))
  assert.deepEqual(JSON.parse(backup.out), { ...DONE, took_ms: 0 })
  const { madeAt: _, aside: __, ...rest } = RESTORED
  const restore = await run(['restore', '--json', 'b.db'], restoring(RESTORED))
  assert.deepEqual(JSON.parse(restore.out), { ...rest, made_at: '2030-01-30T10:00:00.000Z' })
})

test('neither does anything without a file', async () => {
  for (const command of ['backup', 'restore']) assert.equal((await run([command])).code, 2)
})
