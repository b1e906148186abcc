/** Providers without delivery reports are polled while PostgreSQL is unreachable. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { openNats } from '../../src/engines/nats/connection.ts'
import { JetStream } from '../../src/engines/nats/jetstream.ts'
import { natsRoundLock } from '../../src/engines/nats/round-lock.ts'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { instant } from '../../src/lib/time.ts'
import type { Cluster } from '../support/cluster.ts'
import { type Accepted, kindsOf, type Page, someSms } from '../support/sms.ts'
import { shareTimedCluster } from '../support/timed-gateway.ts'
import { until } from '../support/until.ts'

/** Nothing listens here, so the simulator's reports are lost and only polling finds the result. */
const NOWHERE = 'http://127.0.0.1:9'
/** Polling starts 30 s after the handoff. */
const SILENCE_MS = 30_000
/** The poller runs every five seconds. */
const PATIENT = { withinMs: 60_000 }

await describe('a cluster whose providers send no reports', async () => {
  const { call, advance, cluster } = await shareTimedCluster({ own: true, env: { POMBO_PUBLIC_URL: NOWHERE } })

  async function sendSms(): Promise<string> {
    const { status, body, text } = await call<Accepted>('POST', '/v1/sms/send', someSms())
    assert.equal(status, 202, text)
    return body.request_id
  }
  const untilStatus = (id: string, status: string): Promise<MessageDetails> =>
    until(
      `${id} to be ${status}`,
      async () => {
        const { body } = await call<MessageDetails>('GET', `/v1/messages/${id}`)
        return body.status === status && body
      },
      PATIENT,
    )

  test('messages handed off before and during an outage of PostgreSQL end during the outage', async (t) => {
    const faults = cluster?.postgres.faults
    if (cluster === undefined || faults === undefined)
      return t.skip("a server that is not the tests' own is not broken")
    await makeRound(cluster)
    const before = await sendSms()
    await untilStatus(before, 'sent')
    await faults.stop()
    try {
      const during = await sendSms()
      await untilStatus(during, 'sent')
      advance(SILENCE_MS)
      for (const id of [before, during]) {
        const message = await untilStatus(id, 'delivered')
        assert.deepEqual(kindsOf(message).slice(-2), ['HandoffAccepted', 'ProviderDelivered'])
      }
      assert.equal((await call('GET', '/v1/messages')).status, 503)
    } finally {
      await faults.start()
    }
    await until('search to answer', async () => (await call('GET', '/v1/messages')).status === 200)
    const later = await sendSms()
    await untilStatus(later, 'sent')
    advance(SILENCE_MS)
    await untilStatus(later, 'delivered')
    await until('all three in the index', async () => {
      const { body } = await call<Page>('GET', '/v1/messages?status=delivered')
      return body.items.length === 3
    })
  })
})

/** As if another poller had just run: the very first round polls nothing. */
async function makeRound({ nats, settings }: Cluster): Promise<void> {
  await using connection = await openNats({ url: nats.url, name: 'another poller' })
  const rounds = natsRoundLock({
    js: new JetStream(connection, 1),
    names: namesFor(settings['POMBO_NATS_PREFIX'] ?? '', 1),
  })
  const now = instant(Date.now())
  await rounds.begin('poll', now, now)
}
