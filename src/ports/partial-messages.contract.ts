/** The tests every store of partial messages must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { AccountId, TenantId } from '../domain/ids.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import { INCOMPLETE_KEPT_FOR, type PartialMessages, type PartToAdd } from './partial-messages.ts'
import { NOON } from './samples.contract.ts'

export type OpenPartialMessages = () => Promise<Readonly<{ partialMessages: PartialMessages }> & AsyncDisposable>

const after = (count: number): Instant => later(NOON, seconds(count))
const SHOP = { tenantId: 'north' as TenantId, accountId: 'shop' as AccountId }
const UNTIL = after(60)

const part = (number: number, more: Partial<PartToAdd> = {}): PartToAdd => ({
  ...SHOP,
  joint: 'a joint',
  id: randomUUID(),
  number,
  total: 3,
  digest: `digest ${number}`,
  sealed: `part ${number}`,
  at: NOON,
  until: UNTIL,
  ...more,
})

const numbersOf = ({ parts }: Awaited<ReturnType<PartialMessages['add']>>) => parts.map(({ number }) => number)

export function partialMessagesContract(engine: string, open: OpenPartialMessages): void {
  const holding = (name: string, act: (messages: PartialMessages) => Promise<void>): void =>
    void test(name, async () => {
      await using opened = await open()
      await act(opened.partialMessages)
    })

  describe(`partial messages on ${engine}`, { timeout: 60_000 }, () => {
    holding('collect their parts in any order, however often each arrives', async (messages) => {
      const first = await messages.add(part(2))
      assert.deepEqual([first.joined, first.total, first.until, numbersOf(first)], [false, 3, UNTIL, [2]])
      assert.deepEqual(numbersOf(await messages.add(part(2))), [2])
      assert.deepEqual(numbersOf(await messages.add(part(3))), [2, 3])
      const whole = await messages.add(part(1))
      assert.equal(whole.id, first.id)
      assert.deepEqual(
        whole.parts.map(({ sealed }) => sealed),
        ['part 1', 'part 2', 'part 3'],
      )
    })

    holding('of parts that arrive at once, one sees all', async (messages) => {
      const added = await Promise.all([1, 2, 3].map((number) => messages.add(part(number))))
      assert.ok(added.some(({ parts }) => parts.length === 3))
      assert.equal(new Set(added.map(({ id }) => id)).size, 1)
    })

    holding('are apart by joint, account and tenant', async (messages) => {
      await messages.add(part(1))
      for (const other of [
        { joint: 'another' },
        { accountId: 'desk' as AccountId },
        { tenantId: 'south' as TenantId },
      ]) {
        assert.deepEqual(numbersOf(await messages.add(part(2, other))), [2])
      }
    })

    holding('a part that is sent again after they were joined finds the first answer', async (messages) => {
      const { id } = await messages.add(part(1, { total: 1 }))
      await messages.complete(id)
      const again = await messages.add(part(1, { total: 1 }))
      assert.deepEqual([again.id, again.joined, again.parts], [id, true, []])
    })

    holding('a reference that is used again begins another message', async (messages) => {
      const { id } = await messages.add(part(1))
      const other = await messages.add(part(1, { digest: 'of another text' }))
      assert.notEqual(other.id, id)
      const late = await messages.add(part(2, { at: UNTIL, until: after(120) }))
      assert.notEqual(late.id, other.id)
      assert.deepEqual(numbersOf(late), [2])
    })

    holding('a part can be taken back', async (messages) => {
      const { id } = await messages.add(part(1))
      await messages.add(part(2))
      await messages.retract(id, 2)
      assert.deepEqual(numbersOf(await messages.add(part(3))), [1, 3])
      assert.deepEqual(numbersOf(await messages.add(part(2))), [1, 2, 3])
    })

    holding('incomplete ones are leased to one of their account when their time is over', async (messages) => {
      const { id } = await messages.add(part(1))
      await messages.add(part(1, { accountId: 'desk' as AccountId }))
      const { id: joined } = await messages.add(part(1, { joint: 'joined', total: 1 }))
      await messages.complete(joined)
      const take = (at: Instant) => messages.takeIncomplete([SHOP], at, later(at, seconds(30)), 9)
      assert.deepEqual(await take(after(59)), [])
      const [taken] = await take(UNTIL)
      assert.deepEqual([taken?.id, taken?.parts], [id, [{ number: 1, sealed: 'part 1' }]])
      assert.deepEqual(await take(UNTIL), [])
      assert.equal((await take(after(91))).length, 1)
      await messages.remove([id])
      assert.deepEqual(await take(after(200)), [])
      assert.deepEqual(await messages.takeIncomplete([], UNTIL, after(200), 9), [])
    })

    holding('are forgotten: joined ones when their time is over, others later', async (messages) => {
      const { id: joined } = await messages.add(part(1, { joint: 'joined', total: 1 }))
      await messages.complete(joined)
      const { id } = await messages.add(part(1))
      await messages.forget(UNTIL)
      const take = () => messages.takeIncomplete([SHOP], after(600), after(601), 9)
      assert.notEqual((await messages.add(part(1, { joint: 'joined', total: 1 }))).id, joined)
      assert.ok((await take()).some((one) => one.id === id))
      await messages.forget(later(UNTIL, millis(INCOMPLETE_KEPT_FOR + 1)))
      assert.deepEqual(await messages.takeIncomplete([SHOP], after(900), after(901), 9), [])
    })
  })
}
