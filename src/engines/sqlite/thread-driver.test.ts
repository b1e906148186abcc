import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventLogContract } from '../../ports/event-log.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openInThread } from '../../profiles/threaded-engine.fixture.ts'
import { DatabaseDamaged } from './damage.ts'
import type { EchoData, EchoMethods } from './echo-thread.fixture.ts'
import { openThread } from './thread-driver.ts'

const ENTRY = new URL('./echo-thread.fixture.ts', import.meta.url)
const openEcho = (data: EchoData = {}) => openThread<EchoMethods>(ENTRY, data)

test('a call that fails rejects with its kind of error, and the others are answered', async () => {
  await using thread = await openEcho()
  const results = await Promise.allSettled([
    thread.call('fault', ['a bug']),
    thread.call('unavailable', ['no disk']),
    thread.call('echo', ['fine']),
  ])
  const [fault, unavailable] = results.map((result) => (result.status === 'rejected' ? result.reason : undefined))
  assert.ok(fault instanceof Error && !(fault instanceof Unavailable))
  assert.equal(fault.message, 'a bug')
  assert.ok(unavailable instanceof Unavailable)
  assert.equal(unavailable.message, 'no disk')
  assert.deepEqual(results[2], { status: 'fulfilled', value: 'fine' })
})

test('knows the methods that the thread serves', async () => {
  await using thread = await openEcho()
  assert.deepEqual(thread.names, ['echo', 'fault', 'unavailable', 'damaged', 'never', 'exit', 'die'])
})

test('damage to the file rejects with DatabaseDamaged, and the first damage is remembered', async () => {
  await using thread = await openEcho()
  const firstDamage = (): string | undefined => thread.damage?.message
  await assert.rejects(thread.call('fault', ['a bug']))
  assert.equal(firstDamage(), undefined)
  await assert.rejects(thread.call('damaged', ['a page']), DatabaseDamaged)
  await assert.rejects(thread.call('damaged', ['another']), DatabaseDamaged)
  assert.equal(firstDamage(), 'a page')
})

test('pending and later calls reject with Unavailable when the thread ends', async () => {
  const thread = await openEcho()
  const pending = thread.call('never', [])
  thread.call('exit', []).catch(() => undefined)
  await assert.rejects(pending, Unavailable)
  await assert.rejects(thread.call('echo', [1]), Unavailable)
  await thread[Symbol.asyncDispose]()
})

test('a thread that dies of an error ends the process', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-thread-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const script = join(folder, 'main.mjs')
  writeFileSync(
    script,
    `import { openThread } from '${new URL('./thread-driver.ts', import.meta.url)}'
    const thread = await openThread(new URL('${ENTRY}'), {})
    await thread.call('die', ['out of luck'])
    await thread.call('never', []).catch(() => console.log('the process goes on'))`,
  )
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 60_000 })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /Error: out of luck/)
})

test('a thread that cannot start rejects with the reason and the exit code', async () => {
  const failure = { message: 'another Pombo is using the data folder', exitCode: 73 }
  await assert.rejects(openEcho({ failure }), failure)
  await assert.rejects(openEcho({ failure: { message: 'no luck' } }), /no luck/)
})

eventLogContract('sqlite in a thread', () => openInThread())
