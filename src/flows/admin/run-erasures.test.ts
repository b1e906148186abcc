import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { memoryErasures } from '../../../test/memory/erasures.ts'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { openErasureSigner } from '../../engines/crypto/erasure-signer.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import type { Erasures } from '../../ports/erasures.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { CONTENT } from '../gateway.fixture.ts'
import { ANA, openErasing as openErasingOn } from './run-erasures.fixture.ts'

const openErasing = () =>
  openErasingOn({
    openEngine: openMemoryEngine,
    ids: openIds(),
    erasures: memoryErasures(),
    receiptSigner: openErasureSigner(randomBytes(32)),
  })

const SOUTH = 'south' as TenantId

test('erases every message to the recipient and no other; the receipt counts them', async () => {
  const { submit, project, start, run, find, contentOf, deps, completed } = openErasing()
  const mine = await Promise.all(Array.from({ length: 60 }, () => submit()))
  const other = await submit({ content: { ...CONTENT, to: '+15005550100' as PhoneNumber } })
  const theirs = await submit({ tenantId: SOUTH })
  await project()
  const erasure = await start()
  await run()
  for (const id of mine) assert.equal(await contentOf(id), undefined)
  for (const id of [other, theirs]) assert.ok((await contentOf(id)) !== undefined)
  const { receipt, erased, failed } = await find(erasure)
  assert.ok(receipt !== undefined && deps.receiptSigner.verify(receipt))
  assert.deepEqual(receipt.receipt.messages, { found: 60, erased: 60, failed: 0 })
  assert.deepEqual([erased, failed, completed.length], [60, 0, 1])
  assert.ok(!JSON.stringify(await find(erasure)).includes(`"${CONTENT.to}"`))
})

test('waits for messages that are not indexed yet', async () => {
  const { submit, project, start, run, find, contentOf, pass } = openErasing()
  const id = await submit()
  const erasure = await start()
  await run()
  assert.equal((await find(erasure)).completedAt, undefined)
  await project()
  pass(seconds(1))
  await run()
  assert.equal((await find(erasure)).erased, 1)
  assert.ok((await find(erasure)).completedAt !== undefined)
  assert.equal(await contentOf(id), undefined)
})

test('skips a message that cannot be erased, retries it, and reports it with the reason', async () => {
  const { submit, project, start, run, find, contentOf, pass, deps, faults } = openErasing()
  const ids = await Promise.all(Array.from({ length: 30 }, () => submit()))
  const stuck = ids[7] as MessageId
  await project()
  let isStuck = true
  const log = {
    ...deps.log,
    shred: (id: MessageId) =>
      isStuck && id === stuck ? Promise.reject(new Unavailable('no disk')) : deps.log.shred(id),
  }
  const first = await start()
  await run({ log })
  assert.deepEqual([(await find(first)).erased, (await find(first)).completedAt], [29, undefined])
  assert.deepEqual(faults, [stuck])
  for (let round = 0; round < 10; round += 1) {
    pass(seconds(300))
    await run({ log })
  }
  const { receipt } = await find(first)
  assert.deepEqual(receipt?.receipt.messages, { found: 30, erased: 29, failed: 1 })
  assert.deepEqual(receipt?.receipt.failures, [{ message_id: stuck, reason: 'A store was unavailable.' }])

  isStuck = false
  await project()
  const second = await start()
  await run({ log })
  assert.deepEqual((await find(second)).receipt?.receipt.messages, { found: 1, erased: 1, failed: 0 })
  assert.equal(await contentOf(stuck), undefined)
})

test('a message that retention deletes meanwhile is no failure', async () => {
  const { submit, project, start, run, find, deps, faults } = openErasing()
  const ids = await Promise.all(Array.from({ length: 3 }, () => submit()))
  const gone = ids[1]
  await project()
  const erasure = await start()
  const log = {
    ...deps.log,
    latest: (id: MessageId) => (id === gone ? undefined : deps.log.latest(id)),
    load: (id: MessageId) => (id === gone ? undefined : deps.log.load(id)),
  }
  const search: typeof deps.index.search = (query) =>
    query.filter.id === gone ? Promise.resolve({ rows: [] }) : deps.index.search(query)
  await run({ log, index: { ...deps.index, search } })
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 2, erased: 2, failed: 0 })
  assert.deepEqual(faults, [])
})

test('another process completes an erasure after a crash; the receipt counts each message once', async () => {
  const { submit, project, start, run, find, pass, erasures } = openErasing()
  await Promise.all(Array.from({ length: 180 }, () => submit()))
  await project()
  const erasure = await start()
  let crashes = 0
  for (; (await find(erasure)).completedAt === undefined; crashes += 1) {
    let left = crashes % 4
    const dying: Erasures = {
      ...erasures,
      async save(held, dueAt) {
        left -= 1
        if (left < 0) throw new Error('killed')
        return erasures.save(held, dueAt)
      },
    }
    await run({ erasures: dying }).catch((error: Error) => assert.equal(error.message, 'killed'))
    await run()
    pass(seconds(60))
  }
  assert.ok(crashes > 5)
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 180, erased: 180, failed: 0 })
})

test('a process that has lost its lease stops and saves nothing', async () => {
  const { submit, project, start, run, find, pass, erasures } = openErasing()
  await Promise.all(Array.from({ length: 80 }, () => submit()))
  await project()
  const erasure = await start()
  const lost = { ...erasures, save: async () => false }
  const held = await erasures.claim(erasure.requestedAt, erasure.requestedAt)
  await run({ erasures: lost })
  assert.equal(await erasures.save({ ...(held ?? { leaseToken: 0 }), erasure }, undefined), false)
  pass(seconds(60))
  await run()
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 80, erased: 80, failed: 0 })
})

test('repeated requests return the running erasure; a key always names one erasure for one recipient', async () => {
  const { start, run, project } = openErasing()
  const [first, again] = [await start(), await start()]
  assert.equal(again.id, first.id)
  await project()
  await run()
  const keyed = await start(CONTENT.to, 'k1')
  assert.notEqual(keyed.id, first.id)
  await run()
  assert.equal((await start(CONTENT.to, 'k1')).id, keyed.id)
  await assert.rejects(start(ANA, 'k1'), { code: 'IDEMPOTENCY_MISMATCH' })
})

test('yields to other erasures after a while; a stopped process leaves the rest to the next', async () => {
  const { submit, project, start, run, find, pass } = openErasing()
  await Promise.all(Array.from({ length: 80 }, () => submit()))
  await submit({ content: { ...CONTENT, to: '+15005550100' as PhoneNumber } })
  await project()
  const [long, short] = [await start(), await start('+15005550100')]
  const stop = new AbortController()
  await run({ rest: async () => pass(seconds(6)), onCompleted: () => stop.abort() }, stop.signal)
  assert.ok((await find(short)).completedAt !== undefined)
  assert.equal((await find(long)).completedAt, undefined)
  await run()
  assert.equal((await find(long)).erased, 80)
})
