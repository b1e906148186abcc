import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { instant, later, seconds } from '../../lib/time.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  delivered,
  forever,
  NOON,
  nextEntry,
  retryAt,
  someContent,
  someMessage,
  stopped,
} from '../../ports/samples.contract.ts'
import { Diverged, importLog } from './import.ts'

const open = () => ({ source: openMemoryEngine({ clock: stopped }), target: openMemoryEngine({ clock: stopped }) })
const noProgress = (): void => undefined

async function fill({ log }: ReturnType<typeof openMemoryEngine>) {
  const [done, waiting, erased] = [someMessage(), someMessage({ lane: 'otp' }), someMessage()]
  const created = await append(log, createdEntry(done))
  const open = await append(log, createdEntry(waiting))
  await append(log, createdEntry(erased))
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  const accepted = await append(log, nextEntry(attempted, ACCEPTED))
  await append(log, nextEntry(accepted, delivered()))
  await append(log, nextEntry(open, retryAt(later(NOON, seconds(-1)))))
  await log.shred(erased.id)
  return { done, waiting, erased }
}

test('imports every message with its events and content, and queues a job for each unfinished message', async () => {
  const { source, target } = open()
  const { done, waiting, erased } = await fill(source)
  const progress: (readonly [number, number])[] = []
  const deps = { source: source.log, target: target.log, queue: target.queue }
  const imported = await importLog(deps, (at, total) => progress.push([at, total]))
  assert.deepEqual(imported, { messages: 3, events: 7, added: 7 })
  assert.deepEqual(progress.at(-1), [7, 7])

  for (const { id } of [done, waiting, erased]) {
    const eventsIn = async ({ log }: typeof source) => (await log.read(id)).map(({ event }) => event)
    assert.deepEqual(await eventsIn(target), await eventsIn(source))
  }
  assert.deepEqual((await target.log.load(done.id))?.content, someContent())
  assert.equal((await target.log.load(erased.id))?.content, undefined)
  const jobs = [await target.queue.take(1, forever()), await target.queue.take(1, forever())].flat()
  assert.deepEqual(new Set(jobs.map(({ job }) => job.messageId)), new Set([waiting.id, erased.id]))
})

test('a second import adds only newer events', async () => {
  const { source, target } = open()
  const { waiting } = await fill(source)
  const deps = { source: source.log, target: target.log, queue: target.queue }
  await importLog(deps, noProgress)
  assert.deepEqual(await importLog(deps, noProgress), { messages: 3, events: 7, added: 0 })

  const latest = await source.log.latest(waiting.id)
  assert.ok(latest !== undefined)
  await append(source.log, nextEntry(latest, ATTEMPTED))
  assert.deepEqual(await importLog(deps, noProgress), { messages: 3, events: 8, added: 1 })
  assert.equal((await target.log.latest(waiting.id))?.event.fact.kind, 'HandoffAttempted')
})

test('keeps events that the target recorded after the import', async () => {
  const { source, target } = open()
  const { waiting } = await fill(source)
  const deps = { source: source.log, target: target.log, queue: target.queue }
  await importLog(deps, noProgress)
  const latest = await target.log.latest(waiting.id)
  assert.ok(latest !== undefined)
  await append(target.log, nextEntry(latest, ATTEMPTED))
  assert.deepEqual(await importLog(deps, noProgress), { messages: 3, events: 7, added: 0 })
  assert.equal((await target.log.read(waiting.id)).length, 3)
})

test('fails on a message whose history differs in the target, and leaves it unchanged', async () => {
  const { source, target } = open()
  const { waiting } = await fill(source)
  const other = await append(target.log, createdEntry({ ...waiting, createdAt: instant(NOON - 1) }))
  await append(target.log, nextEntry(other, ATTEMPTED))
  const deps = { source: source.log, target: target.log, queue: target.queue }
  await assert.rejects(importLog(deps, noProgress), Diverged)
  assert.equal((await target.log.read(waiting.id)).length, 2)
})

test('imports an empty log', async () => {
  const { source, target } = open()
  const deps = { source: source.log, target: target.log, queue: target.queue }
  assert.deepEqual(await importLog(deps, noProgress), { messages: 0, events: 0, added: 0 })
})
