/** The queue does the same as the simple one of the tests, in thousands of random steps. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { memoryQueue } from '../../../../test/memory/queue.ts'
import { type Random, randomInteger, seededRandom } from '../../../../test/support/random.ts'
import type { MessageId, ProviderName, TenantId } from '../../../domain/ids.ts'
import { LANES } from '../../../domain/message/message.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { later, type Millis, millis, seconds } from '../../../lib/time.ts'
import type { Gate, Job, Parked, Taken } from '../../../ports/queue.ts'
import { forever, someJob, tenant, virtualTime } from '../../../ports/samples.contract.ts'
import { openJobQueue } from './job-queue.ts'

const LEASE = seconds(120)
const GATES = ['one', 'two', 'one two', 'three', 'two three'].map(
  (names) => names.split(' ') as readonly string[] as Gate,
)
const TENANTS = ['north', 'south', 'east'].map(tenant)
const PROVIDERS = ['one', 'two', 'three'] as ProviderName[]
const SIGNAL = forever()

type Pair = readonly [mine: Taken, theirs: Taken]
type Plan = Readonly<{ seed: number; steps: number /** The longest step of the clock. */; pace: Millis; most: number }>

/** Runs the same random steps on both queues, and compares every answer. */
function openBoth(t: TestContext, { seed, pace, most }: Plan) {
  const random: Random = seededRandom(seed)
  const { clock, passTo } = virtualTime()
  const mine = openJobQueue({ clock })
  t.after(() => mine[Symbol.dispose]())
  const theirs = memoryQueue({ clock, lease: LEASE })
  const ids = Array.from({ length: 40 }, () => someJob().messageId)
  const held: Pair[] = []
  const upTo = (count: number): number => randomInteger(random, 0, count)
  const pick = <Item>(items: readonly Item[]): Item => items[upTo(items.length - 1)] as Item
  const soon = () => later(clock(), millis(upTo(pace * 4) - pace))

  const randomJob = (): Job =>
    omitUndefined({
      messageId: pick<MessageId>(ids),
      tenantId: pick<TenantId>(TENANTS),
      lane: pick(LANES),
      dueAt: random() < 0.5 ? soon() : undefined,
    })

  async function compareDepth(): Promise<number> {
    const depth = await mine.depth()
    assert.deepEqual(depth, await theirs.depth())
    for (const tenantId of TENANTS) assert.deepEqual(await mine.depth(tenantId), await theirs.depth(tenantId))
    return depth.reduce((sum, { ready }) => sum + ready, 0)
  }

  /** With `most` jobs at a time the order counts; all at once they only have to be the same. */
  async function take(): Promise<void> {
    if ((await compareDepth()) === 0) return
    const max = most === Number.POSITIVE_INFINITY ? ids.length : 1 + upTo(most - 1)
    const [ours, others] = [await mine.take(max, SIGNAL), await theirs.take(max, SIGNAL)]
    const sorted = (all: readonly Taken[]) => (max === ids.length ? all.toSorted(byId) : all)
    const pairs = sorted(ours).map((one, n): Pair => [one, sorted(others)[n] as Taken])
    assert.equal(ours.length, others.length)
    for (const [one, other] of pairs) assert.deepEqual(seen(one), seen(other))
    held.push(...pairs)
  }

  /** Sometimes the job stays in the list, so that it is used again when it is outdated. */
  async function use(change: (queue: typeof mine | typeof theirs, taken: Taken) => unknown): Promise<void> {
    const at = upTo(held.length - 1)
    const pair = held[at]
    if (pair === undefined) return
    await change(mine, pair[0])
    await change(theirs, pair[1])
    if (random() < 0.8) held.splice(at, 1)
  }

  async function unpark(): Promise<void> {
    const which: Parked = random() < 0.5 ? { provider: pick(PROVIDERS) } : { tenantId: pick(TENANTS) }
    const max = upTo(6)
    assert.equal(await mine.unpark(which, max), await theirs.unpark(which, max))
  }

  /** In steps so small that both see one time after the other. */
  async function pass(): Promise<void> {
    const step = pace > LEASE ? upTo(pace) : 1
    for (let count = upTo(pace > LEASE ? 1 : pace); count > 0; count -= 1) {
      await passTo(later(clock(), millis(step)))
      await compareDepth()
    }
  }

  async function step(): Promise<void> {
    const dice = random()
    const job = randomJob()
    const [at, gate] = [soon(), pick(GATES)]
    if (dice < 0.2) for (const queue of [mine, theirs]) queue.replace(job)
    else if (dice < 0.35) assert.equal(await mine.put(job), await theirs.put(job))
    else if (dice < 0.55) await take()
    else if (dice < 0.65) await use((queue, taken) => queue.finish(taken))
    else if (dice < 0.7) await use((queue, taken) => queue.release(taken, at))
    else if (dice < 0.85) await use((queue, taken) => queue.park(taken, gate, at))
    else if (dice < 0.92) await unpark()
    else await pass()
    await compareDepth()
  }

  return { step }
}

const byId = (one: Taken, other: Taken): number => (one.job.messageId < other.job.messageId ? -1 : 1)

const seen = ({ job: { messageId, tenantId, lane }, gate }: Taken) => ({ messageId, tenantId, lane, gate })

async function compare(t: TestContext, plan: Plan): Promise<void> {
  const { step } = openBoth(t, plan)
  for (let count = 0; count < plan.steps; count += 1) await step()
}

test('hands out the same jobs in the same order as the reference', async (t) => {
  for (const seed of [1, 2, 3, 4]) await compare(t, { seed, steps: 3_000, pace: millis(5), most: 6 })
})

test('hands out the same jobs as the reference when leases expire', async (t) => {
  for (const seed of [5, 6]) {
    await compare(t, { seed, steps: 3_000, pace: seconds(150), most: Number.POSITIVE_INFINITY })
  }
})
