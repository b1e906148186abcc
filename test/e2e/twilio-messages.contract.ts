/** Twilio's Message resource, by Twilio's own library for Node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { freshNumber, inboxOf, magic, untilIndexed } from '../support/sms.ts'
import {
  clientOf,
  createAccount,
  failureOf,
  PATIENT,
  type TwilioWorld,
  toUuid,
  untilMessage,
} from '../support/twilio-client.ts'

export function twilioMessagesContract({ gateway, account, client }: TwilioWorld): void {
  test('the first example of the README sends a message, which can be fetched in full', async () => {
    const to = freshNumber()
    const sent = await client.messages.create({ body: 'Hello from twilio-node', to, from: '+12345678901' })
    assert.match(sent.sid, /^SM[0-9a-f]{32}$/)
    assert.deepEqual(
      [sent.accountSid, sent.to, sent.from, sent.body, sent.status, sent.numSegments, sent.errorCode],
      [account.sid, to, '+12345678901', 'Hello from twilio-node', 'queued', '1', null],
    )
    assert.ok(Date.now() - sent.dateCreated.getTime() < 60_000)
    const delivered = await untilMessage(client, sent.sid, 'delivered')
    assert.deepEqual([delivered.to, delivered.body, delivered.from], [to, sent.body, '+12345678901'])
    assert.ok(delivered.dateSent instanceof Date)
    assert.equal((await inboxOf(gateway, to))[0]?.body, sent.body)
    assert.equal((await client.api.v2010.accounts(account.sid).fetch()).status, 'active')
    const path = `/v1/audit?target=${toUuid(sent.sid)}`
    const { body } = await gateway.call<{ items: readonly { action: string }[] }>('GET', path)
    assert.equal(body.items[0]?.action, 'message.content_read')
  })

  test('a messaging service is echoed, and the same idempotency key sends once', async () => {
    const messagingServiceSid = `MG${'a'.repeat(32)}`
    const sent = await client.messages.create({ body: 'Hi', to: freshNumber(), messagingServiceSid })
    assert.deepEqual([sent.status, sent.from, sent.messagingServiceSid], ['accepted', null, messagingServiceSid])
    assert.equal((await client.messages(sent.sid).fetch()).messagingServiceSid, messagingServiceSid)

    const form = { To: freshNumber(), Body: 'Once', ValidityPeriod: '60' }
    const answers = [await postForm(form), await postForm(form)]
    assert.deepEqual(answers[0]?.body, answers[1]?.body)
    assert.equal(answers[1]?.headers.get('idempotent-replayed'), 'true')
    const { code } = (await postForm({ ...form, ValidityPeriod: '61' })).body
    assert.equal(code, 20409)
  })

  async function postForm(form: Readonly<Record<string, string>>) {
    const authorization = `Basic ${Buffer.from(`${account.sid}:${account.key}`).toString('base64')}`
    const response = await fetch(`${gateway.url}/2010-04-01/Accounts/${account.sid}/Messages.json`, {
      method: 'POST',
      headers: { authorization, 'idempotency-key': 'order-1138' },
      body: new URLSearchParams(form),
    })
    return { headers: response.headers, body: (await response.json()) as Readonly<Record<string, unknown>> }
  }

  test('lists newest first, page by page, by recipient, sender and day', async () => {
    const to = freshNumber()
    const sids: string[] = []
    for (const from of ['Acme', 'Other', 'Acme', 'Acme', 'Acme']) {
      sids.unshift((await client.messages.create({ body: 'Hi', to, from })).sid)
    }
    for (const sid of sids) await untilMessage(client, sid, 'delivered')
    await untilIndexed(gateway, PATIENT)
    const listed = await client.messages.list({ to, pageSize: 2 })
    assert.deepEqual(
      listed.map(({ sid }) => sid),
      sids,
    )
    assert.deepEqual([listed[0]?.body, listed[0]?.to], ['', `+*******${to.slice(-4)}`])
    assert.equal((await client.messages.list({ to, limit: 3, pageSize: 2 })).length, 3)
    const [, , , other] = sids
    assert.deepEqual(
      (await client.messages.list({ to, from: 'Other', pageSize: 1 })).map(({ sid }) => sid),
      [other],
    )
    const [today, tomorrow] = [new Date(), new Date(Date.now() + 86_400_000)]
    assert.equal((await client.messages.list({ to, dateSent: today })).length, 5)
    assert.equal((await client.messages.list({ to, dateSent: tomorrow })).length, 0)
    assert.equal((await client.messages.list({ to, dateSentAfter: tomorrow })).length, 0)
    assert.equal((await client.messages.list({ to, dateSentBefore: tomorrow })).length, 5)

    const each: string[] = []
    await new Promise<void>((done) => client.messages.each({ to, pageSize: 2, done }, ({ sid }) => each.push(sid)))
    assert.deepEqual(each, sids)

    const page = await client.messages.page({ to, pageSize: 4 })
    const next = await page.nextPage()
    assert.deepEqual([page.instances.length, next?.instances.length, next?.nextPageUrl], [4, 1, undefined])
  })

  test('failures have the codes and the words of Twilio', async () => {
    const to = freshNumber()
    const cases: readonly (readonly [call: () => Promise<unknown>, status: number, code: number])[] = [
      [() => client.messages.create({ body: 'Hi', to: 'nobody' }), 400, 21211],
      [() => client.messages.create({ body: 'Hi', to: '' }), 400, 21604],
      [() => client.messages.create({ to }), 400, 21602],
      [() => client.messages.create({ body: 'x'.repeat(1601), to }), 400, 21617],
      [() => client.messages.create({ body: 'Hi', to, from: '!' }), 400, 21212],
      [() => client.messages.create({ body: 'Hi', to, statusCallback: 'here' }), 400, 21609],
      [() => client.messages.create({ body: 'Hi', to, mediaUrl: ['https://a.example/b.png'] }), 400, 21620],
      [() => client.messages.create({ body: 'Hi', to, scheduleType: 'fixed', sendAt: new Date() }), 400, 35114],
      [() => client.messages.create({ body: 'Hi', to, validityPeriod: 36_001 }), 400, 20422],
      [() => client.messages(`SM${'0'.repeat(32)}`).fetch(), 404, 20404],
      [() => client.calls.list(), 404, 20404],
      [() => clientOf(gateway, { ...account, key: `${account.key.slice(0, -1)}-` }).messages.list(), 401, 20003],
      [() => clientOf(gateway, { ...account, sid: `AC${'0'.repeat(32)}` }).messages.list(), 401, 20003],
    ]
    for (const [call, status, code] of cases) {
      const failure = await failureOf(call())
      assert.deepEqual([failure.status, failure.code], [status, code], failure.message)
      assert.equal(failure.moreInfo, `https://www.twilio.com/docs/errors/${code}`)
    }
  })

  test('a refused and a bounced message end as Twilio would end them', async () => {
    for (const [digits, status, code] of [
      ['0001', 'failed', 30_005],
      ['0007', 'undelivered', 30_003],
    ] as const) {
      const { sid } = await client.messages.create({ body: 'Hi', to: magic(digits) })
      const failed = await untilMessage(client, sid, status)
      assert.equal(failed.errorCode, code)
      assert.ok(failed.errorMessage.length > 0)
    }
  })

  test('without content:read the text is not shown; a key of another scope may not send', async () => {
    const reader = await createAccount(gateway, ['messages:read'])
    const { sid } = await client.messages.create({ body: 'Hi', to: freshNumber() })
    const seen = await clientOf(gateway, reader).messages(sid).fetch()
    assert.equal(seen.body, '')
    assert.match(seen.to, /^\+\*{7}\d{4}$/)
    const refused = await failureOf(clientOf(gateway, reader).messages.create({ body: 'Hi', to: freshNumber() }))
    assert.deepEqual([refused.status, refused.code], [403, 20003])
    await failureOf(clientOf(gateway, reader).messages(sid).remove())
  })

  test('an empty body or a deletion erases, once the message is sent', async () => {
    for (const eraseBy of [
      (sid: string) => client.messages(sid).update({ body: '' }),
      (sid: string) => client.messages(sid).remove(),
    ]) {
      const { sid } = await client.messages.create({ body: 'Secret', to: freshNumber() })
      await untilMessage(client, sid, 'delivered')
      await eraseBy(sid)
      const erased = await client.messages(sid).fetch()
      assert.deepEqual([erased.body, erased.to, erased.status], ['', '', 'delivered'])
      assert.equal((await gateway.call<MessageDetails>('GET', `/v1/messages/${toUuid(sid)}`)).body.erased, true)
    }
    const { sid } = await client.messages.create({ body: 'Hi', to: magic('0004') })
    assert.equal((await failureOf(client.messages(sid).remove())).code, 20_009)
    assert.equal((await failureOf(client.messages(sid).update({ status: 'canceled' }))).code, 30_409)
  })
}
