/** Polling rounds with very many due messages, and with failures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId, ProviderName, RouteId } from '../../domain/ids.ts'
import type { Fact } from '../../domain/message/events.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { applyAll } from '../../ports/index-samples.contract.ts'
import type { LookupResult, Provider } from '../../ports/provider.ts'
import { ACCEPTED, NOON } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { fakeProvider } from '../gateway.fixture.ts'
import { poll } from './poll.ts'

const HANDED_OFF = later(NOON, seconds(2))
const DUE = later(HANDED_OFF, seconds(30))
const NAMES = ['one', 'two'] as ProviderName[]

const attemptedBy = (provider: ProviderName): Fact => ({
  kind: 'HandoffAttempted',
  provider,
  routeId: 'r1' as RouteId,
  owner: 'worker-1',
})

type Asked = Readonly<{ name: ProviderName; messageId: MessageId; nth: number; pass: (by: number) => void }>

/** An index with `count` silent messages at each of two providers, whose lookups run `answer`. */
async function openCrowd(count: number, answer: (asked: Asked) => Promise<void> | void) {
  let now: Instant = DUE
  const pass = (by: number): void => {
    now = later(now, seconds(by))
  }
  const engine = openMemoryEngine({ clock: () => now })
  const stories = NAMES.map((name) => ({ facts: [attemptedBy(name), ACCEPTED] }))
  const ids = await applyAll(engine.index, ...Array.from({ length: count }, () => stories).flat())
  const asked: Asked[] = []
  const crowd = { underWay: 0, most: 0 }
  const lookupOf =
    (name: ProviderName): NonNullable<Provider['lookup']> =>
    async ({ messageId }): Promise<LookupResult> => {
      const one = { name, messageId, nth: asked.length, pass }
      asked.push(one)
      crowd.underWay += 1
      crowd.most = Math.max(crowd.most, crowd.underWay)
      await answer(one)
      crowd.underWay -= 1
      return { kind: 'undetermined' }
    }
  const providers = new Map(NAMES.map((name) => [name, fakeProvider([], { name, lookup: lookupOf(name) })]))
  const deps = { ...engine, ids: openIds(), clock: () => now, providers }
  const askedOf = (wanted: ProviderName | undefined) => asked.filter(({ name }) => name === wanted).length
  return { deps, ids, asked, askedOf, crowd }
}

test('polls every due message once, across pages, with bounded concurrency', async () => {
  const { deps, ids, asked, crowd } = await openCrowd(600, () => setImmediate())
  assert.equal(await poll(deps, HANDED_OFF), 1_200)
  assert.deepEqual(asked.map(({ messageId }) => messageId).toSorted(), ids.toSorted())
  assert.equal(crowd.most, 32)
  assert.equal(await poll(deps, DUE), 0)
})

test('an error on one message is thrown after all others were polled', async () => {
  const bug = new Error('bug')
  const { deps, ids, asked } = await openCrowd(50, ({ nth }) => {
    if (nth === 3) throw bug
  })
  await assert.rejects(poll(deps, HANDED_OFF), bug)
  assert.equal(asked.length, ids.length)
})

test('stops polling when the log is unavailable', async () => {
  const { deps, asked } = await openCrowd(200, ({ nth }) => {
    if (nth === 3) throw new Unavailable('log unavailable')
  })
  await assert.rejects(poll(deps, HANDED_OFF), Unavailable)
  assert.ok(asked.length < 200)
})

test('skips a slow provider until the next round without delaying the others', async () => {
  const [slow, fast] = NAMES
  const { deps, askedOf } = await openCrowd(400, async ({ name, pass }) => {
    if (name === fast) return
    await setImmediate()
    pass(6)
  })
  await poll(deps, HANDED_OFF, DUE)
  assert.equal(askedOf(fast), 400)
  assert.ok(askedOf(slow) <= 32)
  const before = askedOf(slow)
  await poll(deps, HANDED_OFF, DUE)
  assert.ok(askedOf(slow) > before)
})
