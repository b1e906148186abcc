import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { protectFiles } from './private-files.ts'

const OURS = [
  'pombo.db',
  'pombo.db-wal',
  'pombo.db-shm',
  'pombo.db.new',
  'pombo-journal.db',
  'pombo-journal.db-wal',
  'pombo.lock',
  'simulator.db',
  'simulator-two.db-shm',
  'master.key',
  'jwt.secret',
  'replaced-2030-01-31T12-00-00.000Z/pombo.db',
]
const THEIRS = ['notes.txt', 'photos/holiday.jpg']

function fill(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of [...OURS, ...THEIRS]) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), 'text')
    chmodSync(join(folder, name), 0o644)
  }
  return folder
}

test('every file of the gateway is taken away from other users, and each is reported once', (t) => {
  const folder = fill(t)
  const lines: unknown[] = []
  const logLine = (level: string, message: string, fields: object = {}) => void lines.push([level, message, fields])
  protectFiles(folder, logLine)
  for (const name of OURS) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
  for (const name of THEIRS) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o644, name)
  assert.deepEqual(
    lines.map((line) => JSON.stringify(line)).toSorted(),
    OURS.map((name) =>
      JSON.stringify([
        'warn',
        'files: other users could read a file of the gateway, its mode is now 600',
        { file: join(folder, name), mode: '644' },
      ]),
    ).toSorted(),
  )

  lines.length = 0
  protectFiles(folder, logLine)
  assert.deepEqual(lines, [])
})
