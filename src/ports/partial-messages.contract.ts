/** The tests every store of partial messages must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { AccountId, TenantId } from '../domain/ids.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import { INCOMPLETE_KEPT_FOR, type PartialMessage, type PartialMessages, type PartToAdd } from './partial-messages.ts'
import { NOON } from './samples.contract.ts'

export type OpenPartialMessages = () => Promise<Readonly<{ partialMessages: PartialMessages }> & AsyncDisposable>

const after = (count: number): Instant => later(NOON, seconds(count))
const SHOP = { tenantId: 'north' as TenantId, accountId: 'shop' as AccountId }
const UNTIL = after(60)
/** Until when a message that was joined is remembered. */
const JOINED_UNTIL = after(20)

const part = (number: number, more: Partial<PartToAdd> = {}): PartToAdd => ({
  ...SHOP,
  joint: 'a-joint',
  id: randomUUID(),
  number,
  total: 3,
  digest: `digest ${number}`,
  sealed: `part ${number}`,
  at: NOON,
  until: UNTIL,
  ...more,
})

const textsOf = ({ parts }: PartialMessage): readonly string[] => parts.map(({ sealed }) => sealed)
const ALL = ['part 1', 'part 2', 'part 3']

export function partialMessagesContract(engine: string, open: OpenPartialMessages): void {
  const holding = (name: string, act: (messages: PartialMessages) => Promise<void>): void =>
    void test(name, async () => {
      await using opened = await open()
      await act(opened.partialMessages)
    })

  describe(`partial messages on ${engine}`, { timeout: 60_000 }, () => {
    holding('collect their parts in any order, however often each arrives', async (messages) => {
      const first = await messages.add(part(2))
      assert.deepEqual([first.joined, first.total, first.until, first.parts], [false, 3, UNTIL, []])
      assert.deepEqual(textsOf(await messages.add(part(2))), [])
      assert.deepEqual(textsOf(await messages.add(part(3))), [])
      const whole = await messages.add(part(1, { sealed: 'part 1' }))
      assert.deepEqual([whole.id, textsOf(whole)], [first.id, ALL])
      const again = await messages.add(part(1, { sealed: 'sealed anew' }))
      assert.deepEqual([again.id, textsOf(again)], [first.id, ALL])
    })

    holding('of parts that arrive at once, one sees all', async (messages) => {
      const added = await Promise.all([1, 2, 3].map((number) => messages.add(part(number))))
      assert.ok(added.some(({ parts }) => parts.length === 3))
      assert.equal(new Set(added.map(({ id }) => id)).size, 1)
    })

    holding('are apart by joint, account and tenant', async (messages) => {
      const { id } = await messages.add(part(1))
      for (const other of [
        { joint: 'another' },
        { accountId: 'desk' as AccountId },
        { tenantId: 'south' as TenantId },
      ]) {
        assert.notEqual((await messages.add(part(2, other))).id, id)
      }
      assert.deepEqual([(await messages.add(part(2))).id, (await messages.add(part(3))).id], [id, id])
    })

    const join = async (messages: PartialMessages): Promise<string> => {
      const [, , { id }] = [await messages.add(part(1)), await messages.add(part(2)), await messages.add(part(3))]
      await messages.complete(id, JOINED_UNTIL)
      return id
    }

    holding('a part that is sent again soon after they were joined finds the first answer', async (messages) => {
      const id = await join(messages)
      const again = await messages.add(part(1, { at: after(19) }))
      assert.deepEqual([again.id, again.joined, again.parts], [id, true, []])
    })

    holding('the same text with the same reference is another message later', async (messages) => {
      const id = await join(messages)
      const add = (number: number) => messages.add(part(number, { at: JOINED_UNTIL, until: after(120) }))
      const [first, , last] = [await add(1), await add(2), await add(3)]
      assert.notEqual(first.id, id)
      assert.deepEqual([last.id, last.joined, textsOf(last)], [first.id, false, ALL])
    })

    const other = (number: number): PartToAdd => part(number, { digest: 'of another text', sealed: `other ${number}` })

    holding('a reference that is used again begins another message', async (messages) => {
      const { id } = await messages.add(part(1))
      const next = await messages.add(other(1))
      assert.notEqual(next.id, id)
      const late = await messages.add(part(2, { at: UNTIL, until: after(120) }))
      assert.notEqual(late.id, next.id)
      await messages.add(part(3, { at: UNTIL }))
      const whole = await messages.add(part(1, { at: UNTIL }))
      assert.deepEqual([whole.id, textsOf(whole)], [late.id, ALL])
    })

    holding(
      'another message that begins with the same parts as one that was joined gets all of its own',
      async (messages) => {
        const id = await join(messages)
        await messages.add(part(1, { sealed: 'part 1 again' }))
        await messages.add(part(2))
        const next = await messages.add(other(3))
        assert.notEqual(next.id, id)
        assert.deepEqual(textsOf(next), ['part 1 again', 'part 2', 'other 3'])
      },
    )

    holding('as they do when they are sent at once, before the first is joined', async (messages) => {
      for (const number of [1, 1, 1, 2, 2, 2]) await messages.add(part(number))
      const whole = [await messages.add(part(3)), await messages.add(other(3))]
      await messages.complete(whole[0]?.id ?? '', JOINED_UNTIL)
      whole.push(await messages.add(part(3, { digest: 'of a third text', sealed: 'third 3' })))
      assert.equal(new Set(whole.map(({ id }) => id)).size, 3)
      assert.deepEqual(
        whole.map(textsOf),
        ['part 3', 'other 3', 'third 3'].map((last) => ['part 1', 'part 2', last]),
      )
    })

    holding('and takes over nothing that was not sent again', async (messages) => {
      await join(messages)
      await messages.add(other(1))
      assert.deepEqual(textsOf(await messages.add(part(3))), [])
      assert.deepEqual(textsOf(await messages.add(other(2))), ['other 1', 'other 2', 'part 3'])
    })

    holding('another message that begins with the same parts as an incomplete one gets them too', async (messages) => {
      const { id } = await messages.add(part(1))
      await messages.add(part(2))
      await messages.add(part(1))
      await messages.add(other(2))
      const next = await messages.add(other(3))
      assert.notEqual(next.id, id)
      assert.deepEqual(textsOf(next), ['part 1', 'other 2', 'other 3'])
      const left = await messages.takeIncomplete([SHOP], UNTIL, after(90), 9)
      assert.deepEqual(
        left.map((message) => [message.id, message.joint, textsOf(message)]).toSorted(),
        [
          [id, 'a-joint', ['part 1', 'part 2']],
          [next.id, 'a-joint', ['part 1', 'other 2', 'other 3']],
        ].toSorted(),
      )
    })

    holding('a part can be taken back', async (messages) => {
      const { id } = await messages.add(part(1))
      await messages.add(part(2))
      await messages.retract(id, 2)
      assert.deepEqual(textsOf(await messages.add(part(3))), [])
      assert.deepEqual(textsOf(await messages.add(part(2))), ALL)
    })

    holding('incomplete ones are leased to one of their account when their time is over', async (messages) => {
      const { id } = await messages.add(part(1))
      await messages.add(part(1, { accountId: 'desk' as AccountId }))
      const { id: joined } = await messages.add(part(1, { joint: 'joined', total: 1 }))
      await messages.complete(joined, JOINED_UNTIL)
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
      await messages.complete(joined, JOINED_UNTIL)
      const { id } = await messages.add(part(1))
      await messages.forget(JOINED_UNTIL)
      const take = () => messages.takeIncomplete([SHOP], after(600), after(601), 9)
      assert.notEqual((await messages.add(part(1, { joint: 'joined', total: 1 }))).id, joined)
      assert.ok((await take()).some((one) => one.id === id))
      await messages.forget(later(UNTIL, millis(INCOMPLETE_KEPT_FOR + 1)))
      assert.deepEqual(await messages.takeIncomplete([SHOP], after(900), after(901), 9), [])
    })
  })
}
