/** Hash threads that fail: a module that does not load, threads that die, threads that hang. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { MessageId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openCodeHasher } from './code-hasher.ts'

const ID = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId

/** A hasher whose threads run this script instead of bcrypt. */
function openBroken(t: TestContext, lines: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-threads-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'thread.mjs')
  writeFileSync(path, `import { parentPort } from 'node:worker_threads'\n${lines}`)
  return openCodeHasher({ masterKey: randomBytes(32), cost: 4, threads: 2, script: pathToFileURL(path) })
}

const ANSWERS = `parentPort.on('message', ({ keyed }) => keyed === 'trial' || parentPort.postMessage({ result: 'hash' }))`

test('a successful check is not repeated', async (t) => {
  await using hasher = openCodeHasher({ masterKey: randomBytes(32), cost: 4, threads: 1 })
  await hasher.check()
  // Answers codes, but not the trial.
  await using busy = openBroken(t, ANSWERS)
  await busy.hash(ID, '123456')
  await busy.check()
})

test('reports a module that cannot be loaded with every check and every code', async (t) => {
  await using hasher = openBroken(t, `throw new Error('no native binding')`)
  for (const _ of [1, 2]) {
    await assert.rejects(hasher.check(), (error: unknown) => {
      assert.ok(error instanceof Unavailable)
      assert.match(String((error.cause as Error).message), /no native binding/)
      return true
    })
    await assert.rejects(hasher.hash(ID, '123456'), Unavailable)
  }
})

test('fails the check when a thread answers with a failure', async (t) => {
  await using hasher = openBroken(t, `parentPort.on('message', () => parentPort.postMessage({ failure: 'broken' }))`)
  await assert.rejects(hasher.check(), /could not be hashed: broken/)
})

test('notices threads that die after they have worked', async (t) => {
  const lines = `
    let answers = 0
    parentPort.on('message', () => {
      answers += 1
      if (answers > 1) throw new Error('out of memory')
      parentPort.postMessage({ result: 'hash' })
    })
  `
  await using hasher = openBroken(t, lines)
  await hasher.check()
  await assert.rejects(hasher.hash(ID, '123456'), Unavailable)
  await hasher.check()
  await assert.rejects(hasher.hash(ID, '123456'), Unavailable)
  await assert.doesNotReject(hasher.check(), 'a new thread works')
})

test('hanging threads do not block the check', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await using hasher = openBroken(t, `parentPort.on('message', () => undefined)`)
  const checks = [hasher.check(), hasher.check()]
  t.mock.timers.tick(2_000)
  for (const outcome of await Promise.allSettled(checks)) {
    assert.equal(outcome.status, 'rejected')
    assert.match(String(outcome.reason), /nothing was hashed within 2000 ms/)
  }
})
