/** Threads that cannot hash: their module does not load, they die, or they hang. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openCodeHasher } from './code-hasher.ts'

const ID = { tenantId: 'acme' as TenantId, id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId }

const RPC = new URL('../../lib/thread-rpc.ts', import.meta.url)

/** A hasher whose threads run this instead of bcrypt. */
function openBroken(t: TestContext, hash: string, firstLine = '') {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-threads-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'thread.mjs')
  const lines = [
    firstLine,
    `import { serveThread } from '${RPC}'`,
    `await serveThread(() => ({ methods: { hash: ${hash} } }))`,
  ]
  writeFileSync(path, lines.join('\n'))
  return openCodeHasher({ masterKey: randomBytes(32), cost: 4, threads: 2, entry: pathToFileURL(path) })
}

const NEVER = '() => new Promise(() => undefined)'

test('the check passes when a code can be hashed, and hashes nothing after a code was', async (t) => {
  // The threads have the lowest priority: on a busy machine they may start later than the check waits.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await using hasher = openCodeHasher({ masterKey: randomBytes(32), cost: 4, threads: 1 })
  await hasher.check()
  await using busy = openBroken(t, `(keyed) => (keyed === 'trial' ? new Promise(() => undefined) : 'hash')`)
  await busy.hash(ID, '123456')
  await busy.check()
})

test('a module that cannot be loaded fails every check and every code', async (t) => {
  await using hasher = openBroken(t, NEVER, `throw new Error('no native binding')`)
  for (const _ of [1, 2]) {
    await assert.rejects(hasher.check(), (error: unknown) => {
      assert.ok(error instanceof Unavailable)
      assert.match(String((error.cause as Error).message), /no native binding/)
      return true
    })
    await assert.rejects(hasher.hash(ID, '123456'), Unavailable)
  }
})

test('a thread that answers with an error fails the check', async (t) => {
  await using hasher = openBroken(t, `() => { throw new Error('broken') }`)
  await assert.rejects(hasher.check(), /could not be hashed: broken/)
})

test('a thread that dies after it has worked is replaced, and the check notices', async (t) => {
  await using hasher = openBroken(t, `() => (globalThis.worked ? process.exit(1) : (globalThis.worked = 'hash'))`)
  await hasher.check()
  await assert.rejects(hasher.hash(ID, '123456'), Unavailable)
  await hasher.check()
  await assert.rejects(hasher.hash(ID, '123456'), Unavailable)
  await assert.doesNotReject(hasher.check(), 'a new thread works')
})

test('hanging threads do not block the check', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await using hasher = openBroken(t, NEVER)
  const checks = [hasher.check(), hasher.check()]
  t.mock.timers.tick(2_000)
  for (const outcome of await Promise.allSettled(checks)) {
    assert.equal(outcome.status, 'rejected')
    assert.match(String(outcome.reason), /nothing was hashed within 2000 ms/)
  }
})
