import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { openFolder } from '../support/folder.ts'
import { skipUnavailable } from '../support/skip.ts'
import { buildRecorder, findCompiler } from './compiler.ts'
import { type Recorded, record } from './record.ts'
import { Marker } from './recording.ts'

/** Changes files in every way that a gateway does. */
const CHANGES = `
  const fs = require('node:fs')
  process.chdir(process.env.POMBO_POWER_FOLDER)
  fs.writeFileSync('whole', 'a file', { flush: true })
  fs.appendFileSync('whole', ' and more')
  const one = fs.openSync(process.cwd() + '/one', 'w+')
  for (const at of [0, 10_000, 5]) fs.writeSync(one, 'at ' + at, at)
  fs.writevSync(one, [Buffer.from('two'), Buffer.from('parts')], 700)
  fs.writevSync(one, [Buffer.from('where'), Buffer.from('it is')])
  fs.ftruncateSync(one, 9_000)
  fs.truncateSync('whole', 3)
  fs.rmSync('link', { force: true })
  fs.linkSync('whole', 'link')
  fs.renameSync('one', 'other')
  fs.writeSync(one, 'after the rename', 20)
  for (const name of ['short', 'gone']) fs.writeFileSync(name, 'x'.repeat(2000))
  fs.writeFileSync('short', 'y')
  fs.rmSync('gone')
  const appended = fs.openSync('appended', 'a')
  for (const text of ['one', 'more']) fs.writeSync(appended, text, 0)
  fs.mkdirSync('folder', { recursive: true })
  fs.writeFileSync('folder/file', 'z')
  fs.writeFileSync('folder/gone', 'z')
  fs.rmSync('folder/gone', { recursive: true })
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync('rows.db')
  db.exec('pragma journal_mode = wal; create table if not exists rows (text); insert into rows values (hex(randomblob(9000)))')
  fs.fdatasync(one, () => process.kill(process.pid, 'SIGKILL'))
`

test('a recording has every change of every file', async (t: TestContext) => {
  const compiler = findCompiler()
  if (compiler === undefined) return skipUnavailable(t, 'there is no C compiler')
  await using folder = await openFolder()
  const change = async ({ env }: Recorded): Promise<void> =>
    assert.rejects(promisify(execFile)(process.execPath, ['-e', CHANGES], { env: { ...process.env, ...env } }), {
      signal: 'SIGKILL',
    })
  // Comparing is part of recording.
  const { steps } = await record({
    recorder: buildRecorder(compiler, folder.path),
    folder: join(folder.path, 'recording'),
    run: [change, change],
  })
  const kinds = new Set(steps.map(({ kind }) => kind))
  assert.deepEqual([...kinds].toSorted(), [
    'linked',
    'opened',
    'removed',
    'renamed',
    'started',
    'sync-begun',
    'sync-ended',
    'truncated',
    'written',
  ])
})

test('a change that was not recorded is found out', async () => {
  await using folder = await openFolder()
  const change = async ({ data, log }: Recorded): Promise<void> => {
    using marker = new Marker(log)
    marker.mark({})
    writeFileSync(join(data, 'file'), 'text')
  }
  const recorded = record({ recorder: 'none', folder: folder.path, run: [change] })
  await assert.rejects(recorded, /every file was recorded/)
})
