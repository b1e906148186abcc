/** Twilio's API, by Twilio's own library for Node: only the address differs. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import twilio from 'twilio'
import { openCustomer } from '../support/customer.ts'
import { openFakeHttp } from '../support/fake-http.ts'
import type { ShareGateway } from '../support/shared-gateway.ts'
import { freshNumber, magic } from '../support/sms.ts'
import { clientOf, createAccount, PATIENT, type TwilioWorld, toUuid } from '../support/twilio-client.ts'
import { until } from '../support/until.ts'
import { twilioMessagesContract } from './twilio-messages.contract.ts'
import { twilioVerifyContract } from './twilio-verify.contract.ts'

const SCOPES = ['sms:send', 'messages:read', 'messages:write', 'content:read', 'otp']

export async function twilioContract(profile: string, share: ShareGateway): Promise<void> {
  await describe(`Twilio's API on ${profile}`, async () => {
    const gateway = await share({ env: { POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8', POMBO_OTP_LIMIT: '3' } })
    const account = await createAccount(gateway, SCOPES)
    const world = { gateway, account, client: clientOf(gateway, account) }
    twilioMessagesContract(world)
    await callbacksContract(world)
    twilioVerifyContract(world)
  })
}

type Received = Readonly<{ params: Readonly<Record<string, string>>; signature: string; url: string; type: string }>

async function callbacksContract({ gateway, account, client }: TwilioWorld): Promise<void> {
  const receiver = await openFakeHttp(() => ({ status: 204, body: '' }))
  after(() => receiver[Symbol.asyncDispose]())
  const received = (path: string): readonly Received[] =>
    receiver.requests
      .filter((request) => request.path.startsWith(path))
      .map(({ path: asked, body, headers }) => ({
        params: Object.fromEntries(new URLSearchParams(body)),
        signature: String(headers['x-twilio-signature']),
        url: `${receiver.url}${asked}`,
        type: String(headers['content-type']),
      }))

  test("status callbacks pass Twilio's own validation, and come in order", async () => {
    const to = freshNumber()
    const statusCallback = `${receiver.url}/delivered?order=A%2017#rc=5`
    const { sid } = await client.messages.create({ body: 'Secret text', to, from: 'Acme', statusCallback })
    const calls = await until(
      'two callbacks',
      () => received('/delivered').length === 2 && received('/delivered'),
      PATIENT,
    )
    for (const { params, signature, url, type } of calls) {
      assert.ok(twilio.validateRequest(account.key, signature, url, params))
      assert.ok(!twilio.validateRequest(`${account.key}x`, signature, url, params))
      assert.ok(!twilio.validateRequest(account.key, signature, url, { ...params, MessageStatus: 'failed' }))
      assert.equal(type, 'application/x-www-form-urlencoded')
    }
    const common = {
      MessageSid: sid,
      SmsSid: sid,
      AccountSid: account.sid,
      To: to,
      From: 'Acme',
      ApiVersion: '2010-04-01',
    }
    assert.deepEqual(
      calls.map(({ params }) => params),
      ['sent', 'delivered'].map((status) => ({ ...common, MessageStatus: status, SmsStatus: status })),
    )
    await attemptsHideEverybody(sid, [to, 'Secret text', account.key, calls[0]?.signature ?? ''])
  })

  async function attemptsHideEverybody(sid: string, hidden: readonly string[]): Promise<void> {
    const path = `/v1/messages/${toUuid(sid)}/webhook-deliveries`
    const deliveries = await gateway.call('GET', path)
    assert.equal(deliveries.status, 200)
    type Listed = Readonly<{ items: readonly Readonly<{ id: string }>[] }>
    const { items } = await until(
      'both attempts',
      async () => {
        const listed = (await gateway.call<Listed>('GET', `/v1/endpoints/callback/attempts?message_id=${toUuid(sid)}`))
          .body
        return listed.items.length === 2 && listed
      },
      PATIENT,
    )
    for (const { id } of items) {
      const { status, text } = await gateway.call('GET', `/v1/endpoints/callback/attempts/${id}`)
      assert.equal(status, 200, text)
      assert.match(text, /MessageStatus=/)
      for (const secret of hidden) assert.ok(!text.includes(secret) && !text.includes(encodeURIComponent(secret)))
    }
  }

  test('a failure is called back with its code', async () => {
    const statusCallback = `${receiver.url}/undelivered`
    await client.messages.create({ body: 'Hi', to: magic('0007'), statusCallback })
    const failed = await until(
      'the last callback',
      () => received('/undelivered').find(({ params }) => params['MessageStatus'] === 'undelivered'),
      PATIENT,
    )
    assert.equal(failed.params['ErrorCode'], '30003')
    assert.ok(twilio.validateRequest(account.key, failed.signature, failed.url, failed.params))
  })

  test('a callback of our own API stays what it was', async () => {
    await using customer = await openCustomer()
    const hook = customer.hook()
    const request = { to: freshNumber(), message: 'Hi', idempotency_key: 'own', callback_url: hook.url }
    assert.equal((await gateway.call('POST', '/v1/sms/send', request)).status, 202)
    const types = await until('all events', () => hook.received().length === 4 && hook.received(), PATIENT)
    assert.deepEqual(
      types.map(({ type }) => type),
      ['message.queued', 'message.sending', 'message.sent', 'message.delivered'],
    )
  })
}
