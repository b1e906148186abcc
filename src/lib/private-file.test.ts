import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { copyPrivately, createPrivate, makePrivate, PRIVATE_MODE } from './private-file.ts'

function someFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-private-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'file')
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

test('a created file belongs to its owner alone', (t) => {
  const path = someFile(t)
  createPrivate(path)
  assert.deepEqual([readFileSync(path, 'utf8'), modeOf(path)], ['', PRIVATE_MODE])
})

test('an existing file is left as it is', (t) => {
  const path = someFile(t)
  writeFileSync(path, 'text')
  chmodSync(path, 0o640)
  createPrivate(path)
  assert.deepEqual([readFileSync(path, 'utf8'), modeOf(path)], ['text', 0o640])
})

test('a file that cannot be created is left to whoever opens it', (t) => {
  const path = join(someFile(t), 'below')
  createPrivate(path)
  assert.equal(existsSync(path), false)
})

test('a copy belongs to its owner alone, whatever the mode of the source', (t) => {
  const path = someFile(t)
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 1, 'pombo')
  writeFileSync(path, bytes)
  chmodSync(path, 0o644)
  copyPrivately(path, `${path}.copy`)
  assert.equal(modeOf(`${path}.copy`), PRIVATE_MODE)
  assert.ok(readFileSync(`${path}.copy`).equals(bytes))
  assert.throws(() => copyPrivately(path, `${path}.copy`), { code: 'EEXIST' })
})

test('a file that others can use is taken away from them, and its former mode is told', (t) => {
  const path = someFile(t)
  writeFileSync(path, 'text')
  for (const mode of [0o644, 0o660, 0o604, 0o777]) {
    chmodSync(path, mode)
    assert.deepEqual(makePrivate(path), { mode, isCorrected: true })
    assert.equal(modeOf(path), PRIVATE_MODE)
  }
  assert.equal(makePrivate(path), undefined)
})

test('what is missing or no file is left alone', (t) => {
  const path = someFile(t)
  assert.equal(makePrivate(path), undefined)
  assert.equal(makePrivate(join(path, '..')), undefined)
})
