import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeMetrics, LABELS, renderMetricsDocs, SECTIONS } from './docs.ts'

test('docs/metrics.md is up to date', async () => {
  const path = join(import.meta.dirname, '../../../docs/metrics.md')
  assert.equal(readFileSync(path, 'utf8'), await renderMetricsDocs(), 'stale: run npm run docs')
})

test('every metric has a name that says its unit, a section and described labels', async () => {
  const all = await describeMetrics()
  assert.ok(all.length > 60)
  for (const { name, type, labels, help } of all) {
    assert.ok(
      SECTIONS.some(([, names]) => names.test(name)),
      name,
    )
    assert.ok(help.length > 0, name)
    if (/^(nodejs|process)_/.test(name)) continue
    if (type === 'counter') assert.match(name, /_total$/)
    if (type === 'histogram') assert.match(name, /_seconds$/)
    for (const label of labels) assert.ok(label in LABELS, `${label} of ${name}`)
  }
  const used = new Set(all.flatMap(({ labels }) => labels))
  assert.deepEqual(
    Object.keys(LABELS).filter((label) => !used.has(label)),
    [],
  )
})

test('says which profile has a metric that the other has not', async () => {
  const profileOf = new Map((await describeMetrics()).map(({ name, profile }) => [name, profile]))
  assert.equal(profileOf.get('pombo_limits_degraded'), 'cluster')
  assert.equal(profileOf.get('pombo_disk_free_bytes'), 'embedded')
  assert.equal(profileOf.get('pombo_storage_bytes'), undefined)
})
