/** Writes that answer with long texts or many results: they count in the memory for answers, as reads do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { until } from '../../../test/support/until.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { Rendered, Renderer } from '../../ports/renderer.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import { TenantMemoryBudget } from './tenant-memory-budget.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const PREVIEW = '/v1/templates/preview'
const MEGABYTE = 1024 * 1024

/** Renders nothing until it is told what. */
function openRenderer() {
  const rendered = Promise.withResolvers<Rendered>()
  let waiting = 0
  const renderer: Renderer = {
    check: async () => ({ kind: 'ok' }),
    render: () => {
      waiting += 1
      return rendered.promise
    },
  }
  return {
    renderer,
    finish: (text: string) => rendered.resolve({ kind: 'ok', texts: { text } }),
    areWaiting: (count: number) => waiting === count,
  }
}

test('writes that answer with texts or results are refused while answers use up the share of their tenant', async () => {
  const { renderer, finish, areWaiting } = openRenderer()
  // Room for one of them.
  await using api = await openFixture(world, { renderer, reads: { memory: new TenantMemoryBudget(256) } })
  const call = await api.caller({ scope: 'admin' })
  const template = { name: 'hello', channel: 'sms', text: 'Hello' }
  const writes = [
    () => call('POST', PREVIEW, { text: 'Hello' }),
    () => call('POST', '/v1/templates', template),
    () => call('PATCH', '/v1/templates/hello', { text: 'Hi' }),
    () => call('POST', '/v1/messages/batch', { items: [{ ...SMS, idempotency_key: 'k' }] }),
    () => call('POST', '/v1/suppressions', { items: [{ address: 'ben@example.com' }] }),
  ]
  const first = (async () => await call('POST', PREVIEW, { text: 'Hello' }))()
  await until('the first to be rendered', () => areWaiting(1))
  for (const write of writes) assert.equal((await write()).statusCode, 429)
  finish('Hello')
  assert.equal((await first).statusCode, 200)
  const statuses: number[] = []
  for (const write of writes) statuses.push((await write()).statusCode)
  assert.deepEqual(statuses, [200, 201, 200, 200, 200])
})

test('what previews render counts in the memory for large content', async () => {
  const { renderer, finish, areWaiting } = openRenderer()
  await using api = await openFixture(world, { renderer })
  const [call, other] = [await api.caller(), await api.caller({ tenant_id: 'umbrella' })]
  const previews = [call, call, other].map(async (by) => await by('POST', PREVIEW, { text: 'Hello' }))
  await until('all to be rendered', () => areWaiting(previews.length))
  finish('x'.repeat(10 * MEGABYTE))
  const [ofOther, ...own] = (await Promise.all(previews)).map(({ statusCode }) => statusCode).toReversed()
  assert.deepEqual([ofOther, own.toSorted()], [200, [200, 429]])
})
