import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEEPEST_DATA, parseTemplateData } from './template-data.ts'

const nested = (depth: number): Record<string, unknown> => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)

test('keeps the data and sorts its keys at every depth', () => {
  const data = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }), { maxKeys: 6 })
  const reversed = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(reversed)
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, inner]) => [name, reversed(inner)]),
    )
  }
  fc.assert(
    fc.property(data, (data) => {
      const plain = JSON.parse(JSON.stringify(data))
      const parsed = parseTemplateData(plain)
      assert.deepEqual(parsed, plain)
      const other = parseTemplateData(reversed(plain) as Record<string, unknown>)
      assert.equal(JSON.stringify(other), JSON.stringify(parsed))
    }),
  )
})

test('refuses data that is nested too deep, at any depth', () => {
  assert.ok(parseTemplateData(nested(DEEPEST_DATA)) !== undefined)
  for (const depth of [DEEPEST_DATA + 1, 100_000]) assert.equal(parseTemplateData(nested(depth)), undefined)
})
