import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId } from '../../domain/ids.ts'
import { toSearchable } from '../../domain/message/searchable.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { drawCode } from '../../engines/crypto/draw-code.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { START, TENANT } from '../gateway.fixture.ts'
import { anyNumber, BY_MAIL, openOtpGateway, toOtpTemplate } from './otp.fixture.ts'
import type { StartOtpDeps } from './start-otp.ts'

const hasher: StartOtpDeps['hasher'] = {
  hash: async (_id, code) => `hash of ${code}` as CodeHash,
  reserve: anyNumber,
  matches: async (_id, code, hash) => hash === `hash of ${code}`,
}
const world = { openEngine: openMemoryEngine, ids: openIds(), hasher, drawCode }
type Gateway = ReturnType<typeof openOtpGateway>
const END = later(START, seconds(300))

test('a code by email is in the text and the HTML but not in the subject', async () => {
  const gateway = openOtpGateway(world)
  const { id, expiresAt } = await gateway.start({ ...BY_MAIL, appName: 'Acme', locale: 'en' })
  const { event } = (await gateway.log.load(id)) ?? {}
  const { html, text, ...rest } = await gateway.mailOf(id)
  const [code = ''] = gateway.drawn
  assert.deepEqual(rest, {
    channel: 'email',
    kind: 'email',
    to: BY_MAIL.to,
    subject: 'Your Acme code',
    otp: { code, ttl: 300_000, maxAttempts: 3, appName: 'Acme', locale: 'en', hash: `hash of ${code}` },
    metadata: {},
    tags: [],
    expiresAt: END,
  })
  assert.ok(html.includes(`>${code}<`) && text?.includes(code))
  const { lane, channel, segments, encoding } = event?.state ?? {}
  assert.deepEqual([lane, channel, segments, encoding, expiresAt], ['otp', 'email', 1, 'mime', END])
  assert.equal((await gateway.check(id, code)).status, 'verified')
})

test('the email of a code is not searchable by subject or text', async () => {
  const gateway = openOtpGateway(world)
  const { id } = await gateway.start({ ...BY_MAIL, appName: 'Acme' })
  const searchable = toSearchable(await gateway.mailOf(id), () => 'a key', true)
  assert.deepEqual(searchable, { to: 'A***@example.com', toKey: 'a key', tags: [], metadata: {} })
})

test("sends a tenant's own template; a changed template does not affect a repeated call", async () => {
  const gateway = openOtpGateway(world)
  await gateway.deps.templates.add(
    toOtpTemplate('email', { text: '{{ code }}', subject: 'Hello', html: '<b>{{ code }}</b>' }),
  )
  const first = await gateway.start(BY_MAIL)
  const { subject, html } = await gateway.mailOf(first.id)
  assert.deepEqual([subject, html], ['Hello', `<b>${gateway.drawn[0]}</b>`])
  await gateway.deps.templates.add(toOtpTemplate('email', { text: '{{ code }}!', subject: 'Hi', html: '{{ code }}' }))
  assert.deepEqual((await gateway.start(BY_MAIL)).replayed, true)
})

test('refuses a suppressed address without creating a challenge or counting a limit', async () => {
  let isSuppressed = true
  const entry = {
    tenantId: TENANT,
    address: 'ann@example.com' as EmailAddress,
    reason: 'complaint',
    createdAt: START,
  } as const
  const suppressions: StartOtpDeps['suppressions'] = {
    find: async (_tenant, addresses) => (isSuppressed && addresses.includes(entry.address) ? [entry] : []),
  }
  const otp = { limit: 1, window: seconds(600) }
  const gateway = openOtpGateway(world, { suppressions, otp })
  await assert.rejects(gateway.start(BY_MAIL), { code: 'RECIPIENT_SUPPRESSED' })
  assert.equal(await gateway.log.tip(), 0)
  isSuppressed = false
  const { id } = await gateway.start(BY_MAIL)
  isSuppressed = true
  assert.deepEqual(await gateway.start(BY_MAIL).then((again) => [again.id, again.replayed]), [id, true])
})

test('the same key for a phone number and an email address is a mismatch', async () => {
  const gateway = openOtpGateway(world)
  await gateway.start()
  await assert.rejects(gateway.start(BY_MAIL), { code: 'IDEMPOTENCY_MISMATCH' })
})

test('an email address has one limit regardless of case, separate from other addresses', async () => {
  const gateway = openOtpGateway(world, { otp: { limit: 1, window: seconds(600) } })
  await gateway.start(BY_MAIL)
  const written = (to: string, idempotencyKey: string) =>
    ({ channel: 'email', to: to as EmailAddress, idempotencyKey }) as const
  await assert.rejects(gateway.start(written('aNN@example.com', 'k2')), { code: 'RATE_LIMITED' })
  await gateway.start(written('bob@example.com', 'k2'))
  await gateway.start({ idempotencyKey: 'k3' })
})

test('an email is not bound to a domain: that line is for SMS', async () => {
  const gateway = openOtpGateway(world, { otp: { limit: 5, window: seconds(600), domain: 'acme.example' } })
  const { id } = await gateway.start(BY_MAIL)
  assert.ok(!JSON.stringify(await gateway.mailOf(id)).includes('@acme.example'))
})

for (const [how, end] of [
  ['verified', (gateway, id, code) => gateway.check(id, code)],
  ['expired', async (gateway) => gateway.passTo(END)],
] as const satisfies [string, (gateway: Gateway, id: MessageId, code: string) => Promise<unknown>][]) {
  test(`erases the email once its challenge is ${how}`, async () => {
    const gateway = openOtpGateway(world)
    const { id, code } = await gateway.send(BY_MAIL)
    await end(gateway, id, code)
    assert.equal(await gateway.end(), 1)
    const { content, event } = (await gateway.log.load(id)) ?? {}
    assert.deepEqual([content, event?.state.erased], [undefined, true])
  })
}
