import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Rendered, Renderer } from '../../ports/renderer.ts'
import { limitRenderedTemplates } from './large-templates.ts'
import { TenantMemoryBudget } from './tenant-memory-budget.ts'

const tenantId = 'acme' as TenantId
const KB = 1024

/** Makes texts that are as long as the number they are made of says, in kilobytes. */
function open(kilobytes: number) {
  const renderer: Renderer = {
    check: async () => ({ kind: 'ok' }),
    render: async ({ texts: { text } }): Promise<Rendered> => {
      await Promise.resolve()
      return { kind: 'ok', texts: { text: '', html: 'x'.repeat(Number(text) * KB) } }
    },
  }
  const withRenderer = limitRenderedTemplates({ renderer, memory: new TenantMemoryBudget(2 * kilobytes) })
  const ends: (() => void)[] = []
  const fill = (text: string, smallUpTo?: number) =>
    withRenderer(omitUndefined({ tenantId, smallUpTo }), async (own) => {
      const { kind } = await own.render({ tenantId, texts: { text } }, {})
      await new Promise<void>((resolve) => ends.push(resolve))
      return kind
    })
  const nextTick = () => new Promise((resolve) => setImmediate(resolve))
  return { fill, ends, nextTick }
}

test('counts large rendered templates until their message is stored', async () => {
  const { fill, ends, nextTick } = open(200)
  const filled = [fill('100'), fill('100'), fill('64')]
  await assert.rejects(fill('65'), { code: 'TOO_MANY_REQUESTS' })
  await assert.rejects(fill('1', 0), { code: 'TOO_MANY_REQUESTS' })
  await nextTick()
  assert.equal(ends.length, 3)
  ends[0]?.()
  assert.equal(await filled[0], 'ok')
  const again = fill('65')
  await nextTick()
  for (const end of ends) end()
  assert.deepEqual(await Promise.all([...filled, again]), ['ok', 'ok', 'ok', 'ok'])
})

test('releases memory when a message is refused', async () => {
  const withRenderer = limitRenderedTemplates({
    renderer: { check: async () => ({ kind: 'ok' }), render: async ({ texts }) => ({ kind: 'ok', texts }) },
    memory: new TenantMemoryBudget(200),
  })
  for (let n = 0; n < 10; n += 1) {
    const refused = withRenderer({ tenantId }, async ({ render }) => {
      await render({ tenantId, texts: { text: 'x'.repeat(90 * KB) } }, {})
      throw new Error('refused')
    })
    await assert.rejects(refused, /refused/)
  }
})
