import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './test-world.ts'
import type { RebuildIndex } from './world.ts'

test('rebuild shows the migration of the data folder on a terminal, and then its own progress', async () => {
  const parts: string[] = []
  const err = { write: (part: string) => void parts.push(part), isTerminal: true, hasColours: false }
  const rebuildIndex: RebuildIndex = async (_config, onProgress, onMigration) => {
    onMigration(30, 60)
    onProgress(60, 60)
    return { events: 60 }
  }
  assert.equal((await run(['rebuild'], { rebuildIndex, err })).code, 0)
  assert.match(parts.join(''), /migrating .* 50 % {2}30\/60.*\n\s.*rebuilding .* 100 % {2}60\/60.*\n$/)
})
