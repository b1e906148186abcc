import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { describeMetrics } from '../../src/observe/metrics/docs.ts'
import { ROOT, textOf } from './files.ts'

const RUNBOOK = textOf('docs/operations.md')
const unique = (names: Iterable<string | undefined>): string[] =>
  [...new Set(names)].filter((name) => name !== undefined).toSorted()

describe('the runbook', () => {
  test('names only metrics that exist', async () => {
    const [, monitoring = ''] = /## Monitoring\n(.*?)\n## /s.exec(RUNBOOK) ?? []
    const named = unique(monitoring.match(/\b(?:pombo|pipeline|nodejs|process)_[a-z0-9_]+[a-z0-9]/g) ?? [])
    const existing = new Set((await describeMetrics()).map(({ name }) => name))
    assert.ok(named.length > 30)
    assert.deepEqual(
      named.filter((name) => !existing.has(name)),
      [],
    )
  })

  test('states for every stream whether to back it up', () => {
    const [, section = ''] = /## Backup and restore\n(.*?)\n## /s.exec(RUNBOOK) ?? []
    const { jobs, ...names } = namesFor('POMBO', 1)
    const streams = [...jobs, ...Object.values(names).filter((name) => typeof name === 'string')].filter((name) =>
      name.startsWith('POMBO_'),
    )
    assert.ok(streams.length > 5)
    const rows = section.split('\n').filter((line) => line.startsWith('| `POMBO_'))
    for (const stream of streams)
      assert.ok(
        rows.some((row) => row.includes(`\`${stream}\``)),
        stream,
      )
  })

  test('refers only to existing files', () => {
    const named = RUNBOOK.matchAll(/`(deploy\/[\w./-]+)`|\]\(([\w./-]+)\)/g).map(
      ([, path, link]) => path ?? join('docs', link ?? ''),
    )
    for (const path of named) assert.ok(existsSync(join(ROOT, path)), path)
  })

  test('refers only to existing commands', () => {
    const named = unique(RUNBOOK.matchAll(/(?:`|exec \S+ |-- )pombo ([a-z]+)/g).map(([, name]) => name))
    assert.ok(named.length > 4)
    for (const name of named) assert.ok(existsSync(join(ROOT, `src/cli/${name}.ts`)), name)
  })
})
