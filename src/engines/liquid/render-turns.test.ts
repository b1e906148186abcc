import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { type Instant, instant, later, millis } from '../../lib/time.ts'
import type { RenderPurpose } from '../../ports/renderer.ts'
import { type Pace, RenderTurns, type Waiting } from './render-turns.ts'

type Item = Waiting & Readonly<{ name: string }>

function openTurns() {
  let now: Instant = instant(1_000_000)
  const turns = new RenderTurns<Item>(() => now)
  const item = (name: string, more: Partial<Item> = {}): Item => ({
    name,
    tenantId: name.slice(0, 1) as TenantId,
    purpose: 'message',
    characters: 100,
    ...more,
  })
  return {
    turns,
    item,
    add: (...names: readonly string[]) => {
      for (const name of names) turns.add(item(name))
    },
    take: (pace: Pace) => turns.take(pace).map(({ name }) => name),
    charge: (tenant: string, cost: number) => turns.charge(item(tenant), cost),
    pass: (by: number) => {
      now = later(now, millis(by))
    },
  }
}

test('tenants within their budgets take turns in the quick thread, many at once', () => {
  const { add, take } = openTurns()
  add('a1', 'a2', 'a3', 'b1', 'c1')
  assert.deepEqual(take('slow'), [])
  assert.deepEqual(take('quick'), ['a1', 'b1', 'c1', 'a2', 'a3'])
  assert.deepEqual(take('quick'), [])
})

test('a tenant over its budget moves to the slow thread, and is back after it has made up for it', () => {
  const { add, take, charge, pass } = openTurns()
  add('a1', 'a2')
  charge('a', 150)
  assert.deepEqual(take('quick'), [])
  assert.deepEqual(take('slow'), ['a1', 'a2'])
  pass(200)
  add('a3')
  assert.deepEqual([take('quick'), take('slow')], [[], ['a3']])
  pass(1)
  add('a4')
  assert.deepEqual(take('quick'), ['a4'])
})

test('in the slow thread the tenant with most of its budget left comes first', () => {
  const { turns, item, charge, take } = openTurns()
  charge('a', 500)
  charge('b', 200)
  for (const name of ['a1', 'a2', 'b1', 'b2', 'c1']) turns.addSlow(item(name))
  assert.deepEqual(take('slow'), ['c1', 'b1'])
  charge('b', 400)
  assert.deepEqual(take('slow'), ['a1', 'a2'])
  assert.deepEqual(take('slow'), ['b2'])
})

test('tenants that burn all they get share the slow thread by time, whatever they have burnt before', () => {
  const { turns, item, charge } = openTurns()
  charge('a', 1e9)
  const used: Record<string, number> = { a: 0, b: 0 }
  for (let nth = 0; nth < 400; nth += 1) for (const tenant of ['a', 'b']) turns.addSlow(item(`${tenant}${nth}`))
  for (let round = 0; round < 200; round += 1) {
    const [next, ...others] = turns.take('slow')
    turns.putBack('slow', others)
    assert.ok(next !== undefined)
    const cost = next.tenantId === 'a' ? 50 : 10
    used[next.tenantId] = (used[next.tenantId] ?? 0) + cost
    turns.charge(next, cost)
  }
  // b catches up with what a has burnt, but only as far as the debt that counts.
  assert.ok((used['a'] ?? 0) >= 1_000 && (used['b'] ?? 0) >= 1_000, JSON.stringify(used))
})

test('long templates are slow until they turn out to be fast, and others fast until they turn out to be slow', () => {
  const { turns, item, take } = openTurns()
  const [long, short] = [item('a1', { key: 'long', characters: 100_000 }), item('b1', { key: 'short', characters: 50 })]
  turns.add(long)
  turns.add(short)
  assert.deepEqual([take('quick'), take('slow')], [['b1'], ['a1']])
  turns.charge(long, 1)
  turns.charge(short, 8)
  turns.add(long)
  turns.add(short)
  assert.deepEqual([take('quick'), take('slow')], [['a1'], ['b1']])
})

test('codes do not wait for the other messages of their tenant', () => {
  for (const pace of ['quick', 'slow'] as const) {
    const { turns, item, charge, take } = openTurns()
    if (pace === 'slow') charge('a', 500)
    for (let nth = 0; nth < 9; nth += 1) turns.add(item(`a${nth}`))
    turns.add(item('a code', { purpose: 'code' }))
    assert.ok(take(pace).slice(0, 2).includes('a code'), pace)
  }
})

test('what was taken and not rendered comes next, in its order', () => {
  const { turns, add, charge } = openTurns()
  add('a1', 'a2', 'a3', 'b1')
  const taken = turns.take('quick')
  turns.putBack('quick', taken.slice(1))
  const names = turns.take('quick').map(({ name }) => name)
  assert.deepEqual(names, ['b1', 'a2', 'a3'])
  charge('a', 500)
  add('a1', 'a2', 'a3')
  const slow = turns.take('slow')
  turns.putBack('slow', slow)
  assert.deepEqual(
    turns.take('slow').map(({ name }) => name),
    ['a1', 'a2'],
  )
})

test('long texts do not travel together', () => {
  const { turns, item, take } = openTurns()
  for (const name of ['a1', 'a2', 'b1']) {
    turns.charge(item(name, { key: name }), 1)
    turns.add(item(name, { key: name, characters: 100_000 }))
  }
  assert.deepEqual([take('quick'), take('quick')], [['a1', 'b1'], ['a2']])
})

test('how many may wait depends on the budget, by tenant and purpose', () => {
  const { turns, item, charge } = openTurns()
  const fill = (tenant: string, count: number, purpose: RenderPurpose = 'message'): void => {
    for (let nth = 0; nth < count; nth += 1) turns.add(item(`${tenant}${nth}`, { purpose }))
  }
  fill('a', 999)
  assert.equal(turns.refusal(item('a')), undefined)
  fill('a', 1)
  assert.equal(turns.refusal(item('a')), 'tenant-full')
  assert.equal(turns.refusal(item('a', { purpose: 'code' })), undefined)
  assert.equal(turns.refusal(item('b')), undefined)
  charge('b', 150)
  fill('b', 63)
  assert.equal(turns.refusal(item('b')), undefined)
  fill('b', 1)
  assert.equal(turns.refusal(item('b')), 'tenant-full')
  for (const tenant of 'cdefghijk') fill(tenant, 1_000)
  assert.equal(turns.refusal(item('z')), 'full')
  assert.equal(turns.clear().length, 10_064)
  assert.equal(turns.refusal(item('a')), undefined)
})
