import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { tally } from './tally.ts'

async function countsOf(registry: Registry): Promise<readonly (readonly [string[], number])[]> {
  const [metric] = await registry.getMetricsAsJSON()
  return (metric?.values ?? []).map(({ labels, value }) => [Object.values(labels).map(String), value] as const)
}

test('counts each set of label values separately, however they are spelt', async () => {
  const registry = new Registry()
  const count = tally([registry], 'pombo_failures_total', 'Failures', ['check', 'code'])
  for (const [check, code] of [
    ['A', 'B C'],
    ['A B', 'C'],
    ['A', 'B C'],
    ['', ''],
  ] as const)
    count(check, code)
  const expected = [
    [['A', 'B C'], 2],
    [['A B', 'C'], 1],
    [['', ''], 1],
  ]
  assert.deepEqual(await countsOf(registry), expected)
  assert.deepEqual(await countsOf(registry), expected)
})

test('without labels it counts calls', async () => {
  const registry = new Registry()
  const count = tally([registry], 'pombo_deliveries_total', 'Deliveries', [])
  count()
  count()
  assert.deepEqual(await countsOf(registry), [[[], 2]])
})

test('label values beyond the bound share one series', async () => {
  const registry = new Registry()
  const count = tally([registry], 'pombo_codes_total', 'Codes', ['provider', 'code'], 2)
  for (const code of ['A', 'B', 'C', 'D', 'A']) count('one', code)
  assert.deepEqual(await countsOf(registry), [
    [['one', 'A'], 2],
    [['one', 'B'], 1],
    [['other', 'other'], 2],
  ])
})
