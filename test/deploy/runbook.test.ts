import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { ROOT, textOf } from './files.ts'

const RUNBOOK = textOf('docs/operations.md')
/** All that registers metrics. */
const SOURCES = readdirSync(join(ROOT, 'src/observe'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => textOf(`src/observe/${name}`))
const unique = (names: Iterable<string | undefined>): string[] =>
  [...new Set(names)].filter((name) => name !== undefined).toSorted()

describe('the runbook', () => {
  test('documents every metric and no other', () => {
    const [, monitoring = ''] = /## Monitoring\n(.*?)\n## /s.exec(RUNBOOK) ?? []
    const documented = unique(monitoring.match(/\b(?:pombo|pipeline)_[a-z_]+/g) ?? [])
    const existing = unique(
      SOURCES.flatMap((source) => [...source.matchAll(/'((?:pombo|pipeline)_[a-z_]+)'/g)].map(([, name]) => name)),
    )
    assert.ok(existing.length > 5)
    assert.deepEqual(documented, existing)
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
