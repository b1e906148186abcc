import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCEPTS, BLAMES_ITSELF, DEFERS, fakeProvider, REJECTS } from '../../flows/gateway.fixture.ts'
import { seconds } from '../../lib/time.ts'
import type { Attempt, LookupResult } from '../../ports/provider.ts'
import { openMeasured, openTestMetrics } from './metrics.fixture.ts'
import { observedProviders } from './observed-provider.ts'

test('counts and measures the calls of each provider by operation and outcome', async () => {
  const { onCalled, measured } = openTestMetrics()
  const absent: LookupResult = { kind: 'absent' }
  const one = fakeProvider([ACCEPTS, DEFERS, DEFERS, REJECTS, BLAMES_ITSELF], { lookup: async () => absent })
  const other = fakeProvider([ACCEPTS], { name: 'two' })
  const providers = observedProviders(new Map([one, other].map((provider) => [provider.name, provider])), onCalled)
  const [observed, silent] = [providers.get(one.name), providers.get(other.name)]
  const { signal } = new AbortController()
  for (const expected of [ACCEPTS, DEFERS, DEFERS, REJECTS, BLAMES_ITSELF]) {
    assert.deepEqual(await observed?.send({} as Attempt, signal), expected)
  }
  assert.equal(await observed?.lookup?.({} as Attempt['ref'], '' as Attempt['id']), absent)
  assert.equal(silent?.lookup, undefined)

  const countOf = async (series: string) => (await measured('pombo_provider_call_duration_seconds', series))[0]
  assert.equal(await countOf('one send accepted'), 1)
  assert.equal(await countOf('one send deferred'), 2)
  assert.equal(await countOf('one send rejected'), 1)
  assert.equal(await countOf('one send provider_rejected'), 1)
  assert.equal(await countOf('one lookup absent'), 1)
  assert.equal(await countOf('two send accepted'), undefined)
})

test('counts callbacks by provider and result', async () => {
  const { onCallback, counts } = openTestMetrics()
  onCallback('acme', 'accepted')
  onCallback('acme', 'accepted')
  onCallback('', 'forged')
  assert.deepEqual(await counts('pombo_callbacks_total'), { 'acme accepted': 2, ' forged': 1 })
})

test('measures the calls in flight at each provider when scraped', async () => {
  const calls = new Map([['one', 3]])
  const { counts } = openTestMetrics({ calls: () => calls })
  assert.deepEqual(await counts('pombo_provider_calls'), { one: 3 })
  calls.set('one', 0).set('two', 1)
  assert.deepEqual(await counts('pombo_provider_calls'), { one: 0, two: 1 })
})

test('exports one breaker state per provider, and counts transitions', async () => {
  const answers = [...Array(5).fill(DEFERS), ACCEPTS]
  const { submit, work, pass, counts } = openMeasured({ providers: [fakeProvider(answers)] })
  const stateOf = async (): Promise<string[]> =>
    Object.entries(await counts('pombo_breaker_state')).flatMap(([name, value]) => (value === 1 ? [name] : []))
  assert.deepEqual(await stateOf(), [])
  for (let n = 0; n < 5; n += 1) {
    await submit()
    await work()
    assert.deepEqual(await stateOf(), [n < 4 ? 'one closed' : 'one open'])
  }
  pass(seconds(30))
  await work()
  assert.deepEqual(await stateOf(), ['one closed'])
  assert.deepEqual(await counts('pombo_breaker_transitions_total'), {
    'one closed open': 1,
    'one open half_open': 1,
    'one half_open closed': 1,
  })
})
