import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../../../domain/ids.ts'
import type { Fact } from '../../../domain/message/events.ts'
import type { Revision } from '../../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someContent,
  someMessage,
} from '../../../ports/samples.contract.ts'
import { Head, Heads } from './heads.ts'

const FIRST = 1 as Revision
const KILOBYTE = 1024
let lastId = 0

function newHead(size = KILOBYTE): Head {
  lastId += 1
  const id = `00000000-0000-7000-8000-${String(lastId).padStart(12, '0')}` as MessageId
  const head = new Head(createdEntry(someMessage({ id })).event, FIRST)
  head.hold(someContent(), size)
  return head
}

/** Appends facts to a message, each durable at once. */
function advance(heads: Heads, head: Head, ...facts: readonly Fact[]): void {
  for (const fact of facts) {
    head.event = nextEntry(head, fact).event
    head.pending += 1
    heads.settle(head)
  }
}

test('keeps the content until the message is handed off, and the head until it has ended', () => {
  const heads = new Heads()
  const head = newHead()
  heads.add(head)
  advance(heads, head, ATTEMPTED)
  assert.deepEqual(head.content, someContent())
  advance(heads, head, ACCEPTED)
  assert.equal(head.content, undefined)
  assert.equal(heads.get(head.id), head)
  advance(heads, head, delivered())
  assert.equal(heads.get(head.id), undefined)
})

test('a head whose message has ended holds nothing, and cannot be used', () => {
  const heads = new Heads()
  const head = newHead()
  heads.add(head)
  advance(heads, head, ATTEMPTED, ACCEPTED, delivered())
  assert.deepEqual(head.eventIds, [])
  assert.throws(() => head.event, /after its message has ended/)
})

test('a message that has ended stays while another append of it is not durable', () => {
  const heads = new Heads()
  const head = newHead()
  heads.add(head)
  advance(heads, head, ATTEMPTED, ACCEPTED)
  head.pending += 1
  advance(heads, head, delivered())
  assert.equal(heads.get(head.id), head)
  heads.settle(head)
  assert.equal(heads.get(head.id), undefined)
})

test('drops the oldest heads when they no longer fit, except those with appends that are not durable', () => {
  const heads = new Heads(16 * KILOBYTE)
  const [pending, oldest, ...others] = Array.from({ length: 5 }, () => newHead())
  assert.ok(pending && oldest)
  pending.pending = 1
  for (const head of [pending, oldest, ...others]) heads.add(head)
  const large = newHead(4 * KILOBYTE)
  heads.add(large)
  const kept = [pending, oldest, ...others, large].filter(({ id }) => heads.get(id) !== undefined)
  assert.deepEqual(kept, [pending, ...others.slice(1), large])
})

test('a head that was removed counts no longer, even if it is removed twice', () => {
  const heads = new Heads(8 * KILOBYTE)
  const [first, second, third] = [newHead(), newHead(), newHead()]
  heads.add(first)
  for (let n = 0; n < 100; n += 1) {
    const head = newHead()
    heads.add(head)
    heads.remove(head)
    heads.remove(head)
  }
  assert.equal(heads.get(first.id), first)
  heads.add(second)
  heads.add(third)
  assert.deepEqual([heads.get(first.id), heads.get(second.id)], [undefined, second])
})

test('of many messages that wait for their first attempt, the oldest are kept', () => {
  const heads = new Heads(1_000 * KILOBYTE, 2)
  const all = Array.from({ length: 4 }, () => newHead())
  for (const head of all) {
    heads.add(head)
    head.pending += 1
    heads.settle(head)
  }
  const kept = (): readonly Head[] => all.filter(({ id }) => heads.get(id) !== undefined)
  assert.deepEqual(kept(), all.slice(0, 2))
  for (const head of all.slice(0, 2)) advance(heads, head, ATTEMPTED)
  const next = newHead()
  heads.add(next)
  next.pending += 1
  heads.settle(next)
  assert.equal(heads.get(next.id), next, 'those that were attempted no longer count')
})
