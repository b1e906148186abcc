/** Messages are deleted when they are no longer kept, through a running gateway whose clock the test advances. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { mintToken } from '../../src/config/secrets.ts'
import type { Accepted, Page } from '../support/sms.ts'
import { inboxOf, magic, someSms } from '../support/sms.ts'
import type { ShareTimed } from '../support/timed-gateway.ts'
import { until } from '../support/until.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const TOKEN_SECONDS = 100 * 24 * 60 * 60
/** A round begins every hour, and a process tries to begin one every five seconds. */
const ROUND = { withinMs: 60_000, everyMs: 100 }

export async function retentionContract(share: ShareTimed): Promise<void> {
  const secret = randomBytes(32).toString('hex')
  const shared = await share({
    config: { retention: [{ tenant_id: 'nobody', days: 0 }] },
    env: { POMBO_RETENTION_DAYS: '30', POMBO_JWT_SECRET: secret, POMBO_JWT_MAX_LIFETIME_SECONDS: `${TOKEN_SECONDS}` },
  })
  // The usual token expires before the messages do.
  const claims = { tenantId: 'demo', accountId: 'shop', scopes: ['admin'], expiresInSeconds: TOKEN_SECONDS }
  const gateway = { ...shared, call: shared.callAs(await mintToken(Buffer.from(secret), claims)) }
  const statusOf = async (id: string) =>
    (await gateway.call<{ status?: string | number }>('GET', `/v1/messages/${id}`)).body.status
  const found = async (query: string) => (await gateway.call<Page>('GET', `/v1/messages?${query}`)).body.items.length
  const rounds = () => gateway.lines.filter((line) => line.includes('retention: deleted messages')).length

  /** Advances the clock, and waits until a round that begins after that is over. */
  async function pass(days: number): Promise<void> {
    const before = rounds()
    gateway.advance(days * DAY_MS)
    await until('a round of deletions', () => rounds() > before, ROUND)
  }

  test('a message is deleted after its retention, and its idempotency key names a new one', async () => {
    const sms = someSms({ tags: ['parcel'] })
    const { body: first } = await gateway.call<Accepted>('POST', '/v1/sms/send', sms)
    const open = await gateway.call<Accepted>('POST', '/v1/sms/send', someSms({ to: magic('0006') }))
    const id = first.request_id
    await until('the delivery', async () => (await statusOf(id)) === 'delivered')
    await until('the index', async () => (await found('tag=parcel')) === 1)

    await pass(29)
    assert.equal(await statusOf(id), 'delivered')
    await pass(2)
    assert.equal(await statusOf(id), 404)
    assert.equal(await found('tag=parcel'), 0)
    assert.equal(await found(`to=${encodeURIComponent(sms.to)}`), 0)
    assert.equal((await gateway.call('POST', `/v1/messages/${id}/resend`)).status, 404)
    assert.ok(gateway.lines.some((line) => /"messages":[1-9]\d*,.*retention: deleted messages/.test(line)))
    const { text: metrics } = await gateway.call('GET', '/metrics')
    assert.match(metrics, /^pombo_messages_pruned_total [1-9]/m)

    // The provider of the other one never reports: it is asked again after two hours, and then given up.
    const silent = open.body.request_id
    gateway.advance(DAY_MS / 8)
    await until('the end of the other', async () => ['expired', 404].includes((await statusOf(silent)) ?? ''), ROUND)
    gateway.advance(DAY_MS)
    await until('the deletion of the other', async () => (await statusOf(silent)) === 404, ROUND)

    const { status, body: again, headers } = await gateway.call<Accepted>('POST', '/v1/sms/send', sms)
    assert.deepEqual([status, headers.get('idempotent-replayed')], [202, null])
    await until('the delivery', async () => (await statusOf(again.request_id)) === 'delivered')
    await until('the index', async () => (await found('tag=parcel')) === 1)
    assert.equal((await inboxOf(gateway, sms.to)).length, 2)
  })
}
