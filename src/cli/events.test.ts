import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../lib/time.ts'
import { EXIT } from './exit.ts'
import { run } from './test-world.ts'
import type { ReplayEvents } from './world.ts'

test('replays the integration events since a time', async () => {
  const replayEvents: ReplayEvents = async (_config, since, onProgress) => {
    assert.equal(since, instant(Date.parse('2026-11-01T00:00:00Z')))
    onProgress(7, 7)
    return 7
  }
  const replayed = await run(['events', 'replay', '--since', '2026-11-01T00:00:00Z'], { replayEvents })
  assert.deepEqual([replayed.code, replayed.out], [0, 'published the integration events of 7 events\n'])
  const json = await run(['events', 'replay', '--since', '2026-11-01T00:00:00Z', '--json'], { replayEvents })
  assert.equal(json.out, '{"events":7}\n')
})

test('wants a time', async () => {
  for (const words of [
    ['replay'],
    ['replay', '--since', 'yesterday'],
    ['publish', '--since', '2026-11-01T00:00:00Z'],
  ]) {
    const { code, err } = await run(['events', ...words])
    assert.equal(code, EXIT.usage)
    assert.match(err, /pombo events replay --since TIME/)
  }
})
