import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { memoryErasures } from '../../../test/memory/erasures.ts'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openErasureSigner } from '../../engines/crypto/erasure-signer.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { START } from '../../ports/event-log.ts'
import type { MessageIndex, Row } from '../../ports/message-index.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { ANA, box, mailTo, openErasing as openErasingOn } from './run-erasures.fixture.ts'

const openErasing = () =>
  openErasingOn({
    openEngine: openMemoryEngine,
    ids: openIds(),
    erasures: memoryErasures(),
    receiptSigner: openErasureSigner(randomBytes(32)),
  })

test('erases emails the recipient got as a copy, including rows indexed without copy keys', async () => {
  const { submit, project, start, run, find, contentOf, index } = openErasing()
  const cc = await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) })
  const bcc = await submit({ content: mailTo('rui@example.com', { bcc: [box('Eva@example.com'), box(ANA)] }) })
  const direct = await submit({ content: mailTo(ANA) })
  const other = await submit({ content: mailTo('rui@example.com', { cc: [box('eva@example.com')] }) })
  await project()
  const older: MessageIndex = {
    ...index,
    async search(query) {
      const page = await index.search(query)
      const rows = page.rows.map(
        ({ state, searchable: { copyKeys: _, ...searchable } = { to: '', toKey: '', tags: [], metadata: {} } }) => ({
          state,
          searchable,
        }),
      )
      return query.filter.toKey === undefined
        ? { ...page, rows }
        : { rows: page.rows.filter(({ state }) => state.id !== bcc) }
    },
  }
  const erasure = await start(ANA)
  await run({ index: older })
  for (const id of [cc, bcc, direct]) assert.equal(await contentOf(id), undefined)
  assert.ok((await contentOf(other)) !== undefined)
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 3, erased: 3, failed: 0 })
})

/** An index whose search by recipient misses copies. With `isOld` its rows have no copy keys either. */
const withoutCopies = (index: MessageIndex, isOld: boolean): MessageIndex => ({
  ...index,
  async search(query) {
    const { rows, ...next } = await index.search(query)
    const { toKey } = query.filter
    const found = toKey === undefined ? rows : rows.filter(({ searchable }) => searchable?.toKey === toKey)
    return { ...next, rows: isOld ? found.map(toOldRow) : found }
  },
})
function toOldRow({ state, searchable }: Row): Row {
  if (searchable === undefined) return { state }
  const { copyKeys: _, ...old } = searchable
  return { state, searchable: old }
}

test("erases a copy that is in a row's copy keys but missing from the search by recipient", async () => {
  const { submit, project, start, run, find, contentOf, index } = openErasing()
  const copied = await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) })
  const other = await submit({ content: mailTo('rui@example.com', { cc: [box('eva@example.com')] }) })
  await project()
  const erasure = await start(ANA)
  await run({ index: withoutCopies(index, false) })
  assert.equal(await contentOf(copied), undefined)
  assert.ok((await contentOf(other)) !== undefined)
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 1, erased: 1, failed: 0 })
})

test('a log outage during the search for copies delays the erasure and marks no email as failed', async () => {
  const { submit, project, start, run, find, pass, deps, index } = openErasing()
  await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) })
  await project()
  const erasure = await start(ANA)
  const old = withoutCopies(index, true)
  const log = { ...deps.log, load: () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(run({ index: old, log }), Unavailable)
  assert.equal((await find(erasure)).completedAt, undefined)
  pass(seconds(15))
  await run({ index: old })
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 1, erased: 1, failed: 0 })
})

test('retries copies that failed, even after their content is shredded; never touches other emails', async () => {
  const { submit, project, start, run, find, pass, contentOf, deps, index } = openErasing()
  const mails = { copied: mailTo('rui@example.com', { cc: [box(ANA)] }), other: mailTo('rui@example.com') }
  const copied = await submit({ content: mails.copied })
  const unread = await submit({ content: mails.other })
  await project()
  let isBroken = true
  const old = withoutCopies(index, true)
  const halfway: MessageIndex = {
    ...old,
    tombstone: (id) => (isBroken ? Promise.reject(new Unavailable('no disk')) : index.tombstone(id)),
  }
  const log = {
    ...deps.log,
    load: (id: MessageId) => (isBroken && id === unread ? Promise.reject(new Error('odd')) : deps.log.load(id)),
  }
  const erasure = await start(ANA)
  await run({ index: halfway, log })
  const { completedAt, pending } = await find(erasure)
  assert.deepEqual([completedAt, pending], [undefined, [copied]])
  pass(seconds(300))
  await run({ index: halfway, log })
  assert.equal((await find(erasure)).completedAt, undefined)
  isBroken = false
  pass(seconds(300))
  await run({ index: halfway, log })
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 1, erased: 1, failed: 0 })
  assert.ok((await contentOf(unread)) !== undefined)
})

test('counts a copy that keeps failing once', async () => {
  const { submit, project, start, run, find, pass, deps, index } = openErasing()
  await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) })
  await project()
  const log = { ...deps.log, shred: () => Promise.reject(new Unavailable('no disk')) }
  const erasure = await start(ANA)
  for (let round = 0; round < 10; round += 1) {
    await run({ index: withoutCopies(index, true), log })
    pass(seconds(300))
  }
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 1, erased: 0, failed: 1 })
})

for (const stage of ['recipient', 'copies'] as const) {
  test(`searches again when the index is cleared in the stage "${stage}"`, async () => {
    const { submit, project, start, run, find, pass, index } = openErasing()
    await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) })
    await project()
    const old = withoutCopies(index, stage === 'copies')
    let isCleared = false
    const cleared: MessageIndex = {
      ...old,
      position: async () => (isCleared ? START : index.position()),
      async search(query) {
        isCleared ||= (query.filter.toKey === undefined) === (stage === 'copies')
        return isCleared ? { rows: [] } : old.search(query)
      },
    }
    const erasure = await start(ANA)
    await run({ index: cleared })
    assert.equal((await find(erasure)).completedAt, undefined)
    pass(seconds(1))
    await run({ index: old })
    assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 1, erased: 1, failed: 0 })
  })
}

test('keeps its lease while contents are read slowly', async () => {
  const { submit, project, start, run, find, pass, deps, index, erasures } = openErasing()
  for (let nth = 0; nth < 10; nth += 1) await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) })
  await project()
  const erasure = await start(ANA)
  let isLost = false
  const log = {
    ...deps.log,
    async load(id: MessageId) {
      pass(seconds(4))
      isLost ||= (await erasures.claim(deps.clock(), later(deps.clock(), seconds(60)))) !== undefined
      return deps.log.load(id)
    },
  }
  await run({ index: withoutCopies(index, true), log })
  assert.equal(isLost, false)
  assert.deepEqual((await find(erasure)).receipt?.receipt.messages, { found: 10, erased: 10, failed: 0 })
})

test('erases nothing after losing its lease while contents are read', async () => {
  const { submit, project, start, run, contentOf, pass, deps, index, erasures } = openErasing()
  const ids = [
    await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) }),
    await submit({ content: mailTo('rui@example.com', { cc: [box(ANA)] }) }),
  ]
  await project()
  await start(ANA)
  let loads = 0
  const log = {
    ...deps.log,
    async load(id: MessageId) {
      loads += 1
      pass(seconds(60))
      await erasures.claim(deps.clock(), later(deps.clock(), seconds(60)))
      return deps.log.load(id)
    },
  }
  await run({ index: withoutCopies(index, true), log })
  assert.equal(loads, 1)
  for (const id of ids) assert.ok((await contentOf(id)) !== undefined)
})
