import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import type { Rendered, Renderer } from '../../ports/renderer.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { BodyBudget } from './body-budget.ts'
import { countTexts } from './large-texts.ts'

const tenantId = 'acme' as TenantId
const KB = 1024

/** Makes texts that are as long as the number they are made of says, in kilobytes. */
function open(kilobytes: number) {
  let [atOnce, most] = [0, 0]
  const renderer: Renderer = {
    check: async () => ({ kind: 'ok' }),
    render: async ({ text }): Promise<Rendered> => {
      atOnce += 1
      most = Math.max(most, atOnce)
      await Promise.resolve()
      atOnce -= 1
      return { kind: 'ok', texts: { text: '', html: 'x'.repeat(Number(text) * KB) } }
    },
  }
  const withTexts = countTexts({ renderer, room: new BodyBudget(2 * kilobytes) })
  const ends: (() => void)[] = []
  const fill = (text: string, light?: number) =>
    withTexts({ tenantId, ...(light === undefined ? {} : { light }) }, async (own) => {
      const { kind } = await own.render({ text }, {})
      await new Promise<void>((resolve) => ends.push(resolve))
      return kind
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { fill, ends, settle, most: () => most }
}

test('what templates make is counted until its message is stored, one after the other, and light texts are not', async () => {
  const { fill, ends, settle, most } = open(200)
  const filled = [fill('100'), fill('100'), fill('64')]
  await assert.rejects(fill('65'), Unavailable)
  await assert.rejects(fill('1', 0), Unavailable)
  await settle()
  assert.equal(ends.length, 3)
  ends[0]?.()
  assert.equal(await filled[0], 'ok')
  const again = fill('65')
  await settle()
  for (const end of ends) end()
  assert.deepEqual(await Promise.all([...filled, again]), ['ok', 'ok', 'ok', 'ok'])
  assert.equal(most(), 1)
})

test('room comes back when a message is refused', async () => {
  const withTexts = countTexts({
    renderer: { check: async () => ({ kind: 'ok' }), render: async (texts) => ({ kind: 'ok', texts }) },
    room: new BodyBudget(200),
  })
  for (let n = 0; n < 10; n += 1) {
    const refused = withTexts({ tenantId }, async ({ render }) => {
      await render({ text: 'x'.repeat(90 * KB) }, {})
      throw new Error('refused')
    })
    await assert.rejects(refused, /refused/)
  }
})
