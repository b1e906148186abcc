/** Messages that travel with their first job, and keys that are read alongside the log. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { START } from '../../ports/event-log.ts'
import type { Taken } from '../../ports/queue.ts'
import { takeOne } from '../../ports/queue-samples.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  forever,
  jobOf,
  nextEntry,
  someContent,
  someMessage,
  VALIDATED,
} from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'

/** An api process, a worker process, and a count of what both read from the broker's streams. */
async function openProcesses() {
  await using opened = new AsyncDisposableStack()
  const broker = opened.use(await openOwnNats())
  const prefix = newPrefix()
  const witness = opened.use(await connect(broker))
  const gets: string[] = []
  witness.subscribe('$JS.API.DIRECT.GET.>', ({ subject }) => gets.push(subject.slice(subject.lastIndexOf('_') + 1)))
  const api = opened.use(await openEngine({ ...broker, prefix }))
  const worker = opened.use(await openEngine({ ...broker, prefix }))
  /** What was read since the last time. The broker answers the witness after everything before. */
  const reads = async (): Promise<readonly string[]> => {
    await witness.request('$JS.API.INFO', '')
    return gets.splice(0)
  }
  const closing = opened.move()
  return { broker, prefix, api, worker, reads, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

type Processes = Awaited<ReturnType<typeof openProcesses>>

async function accept({ api }: Processes, content = someContent()) {
  const message = someMessage()
  const first = await append(api.log, { ...createdEntry(message), content, job: jobOf(message) })
  return { id: message.id, first }
}

const take = ({ worker }: Processes): Promise<Taken> => takeOne(worker.queue)

describe('a message that travels with its job', { timeout: 120_000 }, () => {
  test('is sent without reading it', async () => {
    await using processes = await openProcesses()
    const { worker, reads } = processes
    const { id, first } = await accept(processes)
    const taken = await take(processes)
    await reads()
    const loaded = await worker.log.load(id, undefined, taken)
    assert.deepEqual(loaded?.content, someContent())
    assert.deepEqual([loaded?.revision, loaded?.event], [first.revision, first.event])
    const claimed = await append(worker.log, {
      ...nextEntry(first, ATTEMPTED),
      before: nextEntry(first, VALIDATED).event,
    })
    const handedOff = await append(worker.log, { ...nextEntry(claimed, ACCEPTED), ends: taken })
    assert.deepEqual(await reads(), [])
    assert.deepEqual(worker.log.recall?.(id), { revision: handedOff.revision, event: handedOff.event })
    assert.equal((await processes.api.log.latest(id))?.event.id, handedOff.event.id)
  })

  test('is read from the log for anyone else', async () => {
    await using processes = await openProcesses()
    const { id } = await accept(processes)
    await take(processes)
    await processes.reads()
    assert.deepEqual((await processes.worker.log.load(id))?.content, someContent())
    assert.deepEqual((await processes.reads()).toSorted(), ['KEYS', 'LOG'])
  })

  test('is read from the log when its job is delivered again', async () => {
    await using processes = await openProcesses()
    const { worker } = processes
    const { id, first } = await accept(processes)
    await worker.queue.release(await take(processes), first.event.at)
    const newer = await append(processes.api.log, nextEntry(first, ATTEMPTED))
    const loaded = await worker.log.load(id, undefined, await take(processes))
    assert.equal(loaded?.event.id, newer.event.id)
    assert.deepEqual(loaded?.content, someContent())
  })

  test('cannot be claimed once it has moved on', async () => {
    await using processes = await openProcesses()
    const { worker, api } = processes
    const { id, first } = await accept(processes)
    const taken = await take(processes)
    const newer = await append(api.log, nextEntry(first, ATTEMPTED))
    const loaded = await worker.log.load(id, undefined, taken)
    assert.equal(loaded?.revision, first.revision)
    assert.deepEqual(await worker.log.append(nextEntry(first, VALIDATED)), { kind: 'conflict' })
    assert.equal((await worker.log.latest(id))?.event.id, newer.event.id)
  })

  test('is read from the log when the process that accepted it is gone', async () => {
    await using processes = await openProcesses()
    const { id } = await accept(processes)
    const taken = await take(processes)
    await processes.api[Symbol.asyncDispose]()
    assert.deepEqual((await processes.worker.log.load(id, undefined, taken))?.content, someContent())
    assert.deepEqual(
      (await processes.reads()).toSorted().filter((stream) => stream !== 'LINES'),
      ['KEYS', 'LOG'],
    )
  })

  test('does not travel if it is large', async () => {
    await using processes = await openProcesses()
    const content = someContent({ body: 'x'.repeat(20_000) })
    const { id } = await accept(processes, content)
    const taken = await take(processes)
    await processes.reads()
    assert.deepEqual((await processes.worker.log.load(id, undefined, taken))?.content, content)
    assert.deepEqual((await processes.reads()).toSorted(), ['KEYS', 'LOG'])
  })
})

describe('a follower', { timeout: 120_000 }, () => {
  test('gets the searchable fields without asking for each key', async () => {
    await using processes = await openProcesses()
    const accepted = await Promise.all(Array.from({ length: 700 }, () => accept(processes)))
    await processes.reads()
    const searchable = new Map<string, unknown>()
    for await (const page of processes.worker.log.follow(START, 256, forever())) {
      for (const { messageId, searchable: fields } of page) searchable.set(messageId, fields)
      if (searchable.size === accepted.length) break
    }
    assert.deepEqual(await processes.reads(), [])
    for (const { id } of accepted) assert.ok(searchable.get(id), 'without searchable fields')
  })

  test('gets none of a message that was erased, before or after its key was read', async () => {
    await using processes = await openProcesses()
    const { api, worker } = processes
    const accepted = await Promise.all(Array.from({ length: 40 }, () => accept(processes)))
    const [early, late] = [accepted.at(0)?.id, accepted.at(-1)?.id]
    assert.ok(early && late)
    await api.log.shred(early)
    const seen = new Map<string, unknown>()
    for await (const page of worker.log.follow(START, 8, forever())) {
      if (seen.size === 0) await api.log.shred(late)
      for (const { messageId, searchable } of page) seen.set(messageId, searchable)
      if (seen.size === accepted.length) break
    }
    assert.deepEqual([seen.get(early), seen.get(late)], [undefined, undefined])
    assert.equal([...seen.values()].filter((fields) => fields !== undefined).length, accepted.length - 2)
  })

  test('goes on reading keys when the consumer was removed', async () => {
    await using processes = await openProcesses()
    await using witness = await connect(processes.broker)
    await accept(processes)
    const found: unknown[] = []
    for await (const page of processes.worker.log.follow(START, 8, forever())) {
      found.push(...page.map(({ searchable }) => searchable))
      if (found.length === 3) break
      const keys = `${processes.prefix}_KEYS`
      const names = (await witness.request(`$JS.API.CONSUMER.NAMES.${keys}`, '')).json<{ consumers: string[] }>()
      for (const name of names.consumers) await witness.request(`$JS.API.CONSUMER.DELETE.${keys}.${name}`, '')
      await accept(processes)
    }
    assert.equal(found.filter((fields) => fields !== undefined).length, 3)
  })
})
