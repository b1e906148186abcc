/** The tests every store of owed delivery receipts must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { AccountId, MessageId, TenantId } from '../domain/ids.ts'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { Position } from './event-log.ts'
import type { OwedMessage, ReceiptDeliveries, TakenReceipt } from './receipt-deliveries.ts'
import { NOON } from './samples.contract.ts'

export type OpenReceiptDeliveries = () => Promise<Readonly<{ receiptDeliveries: ReceiptDeliveries }> & AsyncDisposable>

const after = (count: number): Instant => later(NOON, seconds(count))
const SHOP = { tenantId: 'north' as TenantId, accountId: 'shop' as AccountId }
const DESK = { tenantId: 'north' as TenantId, accountId: 'desk' as AccountId }

let positions = 0
function owed(at: Instant, more: Partial<OwedMessage> = {}): OwedMessage {
  positions += 1
  return { ...SHOP, messageId: randomUUID() as MessageId, position: positions as Position, at, ...more }
}

const idsOf = (taken: readonly TakenReceipt[]): readonly MessageId[] =>
  taken.map(({ messageId }) => messageId).toSorted()
const delivered = ({ messageId, position }: TakenReceipt, isLast = true) => ({ messageId, position, isLast })

export function receiptDeliveriesContract(engine: string, open: OpenReceiptDeliveries): void {
  const holding = (name: string, act: (receipts: ReceiptDeliveries) => Promise<void>): void =>
    void test(name, async () => {
      await using opened = await open()
      await act(opened.receiptDeliveries)
    })

  describe(`owed receipts on ${engine}`, { timeout: 60_000 }, () => {
    holding('are leased to one taker of their account, the oldest first', async (receipts) => {
      const [old, young, other] = [owed(after(1)), owed(after(2)), owed(after(1), DESK)]
      await receipts.enqueue([young, old, other])
      const demands = [{ ...SHOP, max: 1 }]
      assert.deepEqual(await receipts.take(demands, after(0), after(60)), [])
      const [first] = await receipts.take(demands, after(5), after(60))
      assert.deepEqual(first, { ...SHOP, messageId: old.messageId, position: old.position, isFirst: true })
      assert.deepEqual(idsOf(await receipts.take(demands, after(5), after(60))), [young.messageId])
      assert.deepEqual(await receipts.take(demands, after(5), after(60)), [])
      const both = [
        { ...SHOP, max: 9 },
        { ...DESK, max: 9 },
      ]
      assert.deepEqual(idsOf(await receipts.take(both, after(5), after(60))), [other.messageId])
    })

    holding('are due again when their lease ends, or when they are released', async (receipts) => {
      const one = owed(after(0))
      await receipts.enqueue([one])
      const take = (at: Instant) => receipts.take([{ ...SHOP, max: 9 }], at, later(at, seconds(30)))
      assert.equal((await take(after(1))).length, 1)
      assert.equal((await take(after(2))).length, 0)
      assert.equal((await take(after(31))).length, 1)
      await receipts.release([one.messageId], after(40))
      assert.equal((await take(after(39))).length, 0)
      assert.equal((await take(after(40))).length, 1)
    })

    holding('follow an intermediate notification once there is more to tell', async (receipts) => {
      const sent = owed(after(0))
      await receipts.enqueue([sent])
      const take = (at: Instant) => receipts.take([{ ...SHOP, max: 9 }], at, later(at, seconds(30)))
      const [first] = await take(after(1))
      assert.ok(first?.isFirst)
      await receipts.complete([delivered(first, false)], after(1))
      await receipts.enqueue([sent])
      assert.deepEqual(await take(after(2)), [])
      const ended = { ...sent, position: (sent.position + 1_000) as Position, at: after(3) }
      await receipts.enqueue([ended])
      const [last] = await take(after(4))
      assert.deepEqual([last?.position, last?.isFirst], [ended.position, false])
    })

    holding('what is reported while one is being delivered is not lost', async (receipts) => {
      const sent = owed(after(0))
      await receipts.enqueue([sent])
      const [first] = await receipts.take([{ ...SHOP, max: 9 }], after(1), after(31))
      await receipts.enqueue([{ ...sent, position: (sent.position + 1_000) as Position, at: after(2) }])
      await receipts.complete([delivered(first ?? assert.fail(), false)], after(3))
      assert.equal((await receipts.take([{ ...SHOP, max: 9 }], after(4), after(31))).length, 1)
    })

    holding('nothing follows the last one, whatever is enqueued', async (receipts) => {
      const one = owed(after(0))
      await receipts.enqueue([one, one])
      const [taken] = await receipts.take([{ ...SHOP, max: 9 }], after(1), after(31))
      await receipts.complete([delivered(taken ?? assert.fail())], after(2))
      await receipts.enqueue([one, { ...one, position: (one.position + 1_000) as Position }])
      assert.deepEqual(await receipts.take([{ ...SHOP, max: 9 }], after(99), after(199)), [])
    })

    holding('are forgotten some time after their last change', async (receipts) => {
      await receipts.enqueue([owed(after(0)), owed(after(10))])
      while (await receipts.forget(after(5))) {
        // There may be more.
      }
      assert.equal((await receipts.take([{ ...SHOP, max: 9 }], after(20), after(31))).length, 1)
      await receipts.enqueue([])
      assert.deepEqual(await receipts.take([], after(20), after(31)), [])
    })
  })
}
