import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, shareNats } from '../../../test/support/nats-server.ts'
import { millis, seconds } from '../../lib/time.ts'
import { tenant } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Connection, openNats } from './connection.ts'
import { InFlight } from './in-flight.ts'
import { JetStream } from './jetstream.ts'
import { namesFor } from './subjects.ts'
import { TenantQueues } from './tenant-queues.ts'

const server = await shareNats()

/** A JetStream that cannot create consumers. */
class Consumerless extends JetStream {
  asked = 0
  readonly #answer: () => Promise<never>

  constructor(connection: Connection, answer: () => Promise<never>) {
    super(connection, 1)
    this.#answer = answer
  }

  override api<Answer extends object>(call: string, request?: object): Promise<Answer> {
    if (!call.startsWith('CONSUMER.CREATE')) return super.api<Answer>(call, request)
    this.asked += 1
    return this.#answer()
  }
}

const WAYS: Readonly<Record<string, () => Promise<never>>> = {
  'has no leader': () => Promise.reject(new Unavailable('the stream has no leader')),
  'forgets its consumers': async () => ({}) as never,
}

/** Ends a busy loop that would otherwise block the process. */
function limitedSignal(most: number) {
  const { signal } = new AbortController()
  let reads = 0
  const aborted = (): boolean => {
    reads += 1
    return reads > most
  }
  Object.defineProperty(signal, 'aborted', { get: aborted })
  return { signal, reads: () => reads }
}

for (const [way, answer] of Object.entries(WAYS)) {
  test(`backs off from a queue whose stream ${way}, even when the queue was idle for long`, async () => {
    const prefix = newPrefix()
    await using _engine = await openEngine({ url: server.url, prefix, partitions: 1 })
    await using connection = await openNats(server)
    const js = new Consumerless(connection, answer)
    using inFlight = new InFlight(connection, seconds(30), () => assert.fail('nothing was handed over'))
    const deps = { js, names: namesFor(prefix, 1), inFlight, ackWait: seconds(30), idleAfter: millis(1) }
    await using queues = new TenantQueues(deps)
    queues.open({ lane: 'transactional', tenantId: tenant('idle') })
    await wait(10)
    const limited = limitedSignal(1_000)
    const taking = queues.take(1, limited.signal)
    await Promise.race([taking, wait(2_500)])
    assert.ok(js.asked > 0 && js.asked < 10, `asked ${js.asked} times`)
    assert.ok(limited.reads() < 100, `${limited.reads()} rounds`)
    await queues[Symbol.asyncDispose]()
    assert.deepEqual(await taking, [])
  })
}
