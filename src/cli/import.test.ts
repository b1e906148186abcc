import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './test-world.ts'
import type { ImportedFolder } from './world.ts'

const none = { all: 0, added: 0, left: 0 }
const IMPORTED: ImportedFolder = {
  messages: 2,
  events: 9,
  added: 8,
  limits: { all: 3, added: 2, left: 1 },
  recipients: { all: 4, added: 1, left: 0 },
  templates: none,
  routes: { all: 1, added: 1, left: 0 },
  endpoints: { all: 2, added: 1, left: 1 },
  challenges: { all: 2, added: 1, left: 1 },
}
const importing = (imported: ImportedFolder) => ({ importFolder: async () => imported })

test('import tells what is in the cluster now, and what was left behind and why', async () => {
  const { code, out } = await run(['import', 'data'], importing(IMPORTED))
  const [messages, setup, ...left] = out.trimEnd().split('\n')
  assert.equal(code, 0)
  assert.equal(messages, '2 messages with 9 events are in the cluster, 8 of these events since now; it took 0 ms')
  const counts = '2 limits, 4 recipients, 0 templates, 1 routes, 1 endpoints, 1 challenges'
  assert.equal(setup, `${counts} are there too, 6 of these since now`)
  assert.equal(left.length, 3)
  assert.match(left[0] ?? '', /^left behind: 1 limits for single recipients, .*master key/)
  assert.match(left[1] ?? '', /^left behind: 1 endpoints, .*master key/)
  assert.match(left[2] ?? '', /^left behind: 1 open codes, .*master key/)
})

test('import says nothing of what was left behind where nothing was', async () => {
  const { out } = await run(
    ['import', 'data'],
    importing({ ...IMPORTED, limits: none, endpoints: none, challenges: none }),
  )
  assert.doesNotMatch(out, /left/)
})

test('import tells a script the same', async () => {
  const { out } = await run(['import', '--json', 'data'], importing(IMPORTED))
  assert.deepEqual(JSON.parse(out), { ...IMPORTED, took_ms: 0 })
})
