/** Twilio's Verify API, by Twilio's own library for Node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeAt, freshMailbox, wrongFor } from '../support/otp.ts'
import { freshNumber } from '../support/sms.ts'
import { failureOf, type TwilioWorld } from '../support/twilio-client.ts'

const SERVICE = `VA${'0'.repeat(31)}1`

export function twilioVerifyContract({ gateway, account, client }: TwilioWorld): void {
  const service = client.verify.v2.services(SERVICE)
  const checks = service.verificationChecks

  for (const channel of ['sms', 'email'] as const) {
    test(`signs somebody in with a code by ${channel}`, async () => {
      const to = channel === 'sms' ? freshNumber() : freshMailbox()
      const started = await service.verifications.create({ to, channel, customFriendlyName: 'Acme', locale: 'pt-BR' })
      assert.match(started.sid, /^VE[0-9a-f]{32}$/)
      assert.deepEqual(
        [started.status, started.valid, started.to, started.channel, started.serviceSid, started.accountSid],
        ['pending', false, to, channel, SERVICE, account.sid],
      )
      const code = await codeAt(gateway, to)
      const wrong = await checks.create({ to, code: wrongFor(code) })
      assert.deepEqual([wrong.status, wrong.valid], ['pending', false])
      const short = await checks.create({ to, code: '1234' })
      assert.deepEqual([short.status, short.valid], ['pending', false])
      const right = await checks.create({ to, code })
      assert.deepEqual([right.status, right.valid, right.sid, right.to], ['approved', true, started.sid, to])
      const again = await failureOf(checks.create({ to, code }))
      assert.deepEqual([again.status, again.code], [404, 20404])
      const shown = await service.verifications(started.sid).fetch()
      assert.deepEqual([shown.status, shown.valid, shown.channel], ['approved', true, channel])
    })
  }

  test('five wrong codes end a verification; services do not share theirs', async () => {
    const to = freshNumber()
    const { sid } = await service.verifications.create({ to, channel: 'sms' })
    const code = await codeAt(gateway, to)
    const foreign = client.verify.v2.services(SERVICE.replace(/1$/, '2'))
    assert.equal((await failureOf(foreign.verificationChecks.create({ to, code }))).code, 20404)
    for (let nth = 1; nth <= 5; nth += 1) {
      const { status } = await checks.create({ verificationSid: sid, code: wrongFor(code) })
      assert.equal(status, 'pending', String(nth))
    }
    const over = await failureOf(checks.create({ to, code }))
    assert.deepEqual([over.status, over.code], [429, 60202])
    assert.equal((await service.verifications(sid).fetch()).status, 'max_attempts_reached')
  })

  test('the newest verification of a recipient counts, and can be canceled or approved', async () => {
    const to = freshNumber()
    await service.verifications.create({ to, channel: 'sms' })
    await codeAt(gateway, to)
    const newest = await service.verifications.create({ to, channel: 'sms' })
    const canceled = await service.verifications(newest.sid).update({ status: 'canceled' })
    assert.equal(canceled.status, 'canceled')
    assert.equal((await failureOf(checks.create({ to, code: '123456' }))).code, 20404)
    assert.equal((await service.verifications(newest.sid).fetch()).status, 'canceled')
    assert.equal((await failureOf(service.verifications(newest.sid).update({ status: 'approved' }))).code, 20404)

    const third = await service.verifications.create({ to, channel: 'sms' })
    assert.equal((await service.verifications(third.sid).update({ status: 'approved' })).status, 'approved')
    const over = await failureOf(service.verifications.create({ to, channel: 'sms' }))
    assert.deepEqual([over.status, over.code], [429, 60203])
  })

  test('what Verify cannot do here is refused', async () => {
    const to = freshNumber()
    const { verifications } = service
    const cases: readonly (readonly [call: () => Promise<unknown>, status: number, code: number])[] = [
      [() => verifications.create({ to: 'nobody', channel: 'sms' }), 400, 60200],
      [() => verifications.create({ to, channel: 'whatsapp' }), 400, 60200],
      [() => verifications.create({ to, channel: 'sms', customCode: '123456' }), 400, 60200],
      [() => verifications.create({ to, channel: 'sms', locale: 'not a locale' }), 400, 60200],
      [() => checks.create({ to, code: '1' }), 400, 60200],
      [() => checks.create({ to, code: '123456' }), 404, 20404],
      [() => verifications(`VE${'0'.repeat(32)}`).fetch(), 404, 20404],
      [() => client.verify.v2.services('login').verifications.create({ to, channel: 'sms' }), 404, 20404],
      [() => client.verify.v2.services(SERVICE).rateLimits.list(), 404, 20404],
    ]
    for (const [call, status, code] of cases) {
      const failure = await failureOf(call())
      assert.deepEqual([failure.status, failure.code], [status, code], failure.message)
    }
  })
}
