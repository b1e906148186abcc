/** Answers of a mail server and of SES: temporary errors, exceeded quotas, and no answer. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { mailboxAt, mailsTo, parseMail, SUBJECT, sendMail, stepsOf } from '../support/email.ts'
import { refusal } from '../support/fake-ses.ts'
import { kindsOf, payloadField, search, show, untilEvent, untilIndexed, untilStatus } from '../support/sms.ts'
import { BY_BOTH, BY_SES, type EmailSite, PATIENT } from './email-site.fixture.ts'

const QUOTA = refusal(400, 'LimitExceededException', 'Daily message quota exceeded.')
const TAKEN = ['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT']

export function emailOutcomesContract({ site: { gateway }, sink, ses }: EmailSite): void {
  beforeEach(() => {
    for (const point of ['rcpt', 'end'] as const) sink.react(point, 'take')
    ses.behave('well')
  })

  const givenToSes = (to: string) => ses.mails.filter((mail) => mail.to.includes(to))
  const unknownOnes = async (): Promise<readonly string[]> => {
    await untilIndexed(gateway, PATIENT)
    return (await search(gateway, { unknown: 'true' })).items.map(({ id }) => id)
  }

  test('a busy mailbox is retried, and every event is recorded', async () => {
    const to = mailboxAt('mail.example')
    sink.react('rcpt', (nth) => (nth === 1 ? '450 4.2.1 busy' : 'take'))
    const id = await sendMail(gateway, { to })
    const message = await untilStatus(gateway, id, 'sent', PATIENT)
    assert.deepEqual([message.attempts, message.error_code, mailsTo(sink, to).length], [2, null, 1])
    const steps = await stepsOf(gateway, id)
    assert.deepEqual(
      steps.map(({ type }) => type),
      [...TAKEN, 'RETRY_SCHEDULED', ...TAKEN, 'SENT'],
    )
    const { error_code: code, will_retry: willRetry, next_attempt_number: next } = steps[3]?.metadata ?? {}
    assert.deepEqual([code, willRetry, next], ['MAILBOX_UNAVAILABLE', true, 2])
  })

  test('SES gets mail to its domain, and the mail is found by its SES message id', async () => {
    const to = mailboxAt(BY_SES)
    const id = await sendMail(gateway, { to, cc: ['Zoë <zoe@copy.example>'], bcc: ['eva@hidden.example'] })
    const message = await untilStatus(gateway, id, 'sent', PATIENT)
    const [mail, ...others] = givenToSes(to)
    assert.ok(mail)
    assert.deepEqual([others, mail.to], [[], [to, 'zoe@copy.example', 'eva@hidden.example']])
    assert.ok(!mail.raw.includes('eva@hidden.example'))
    assert.equal((await parseMail(mail.raw)).subject, SUBJECT)
    assert.deepEqual([message.provider, message.provider_message_id], ['amazon', mail.id])
    await untilIndexed(gateway, PATIENT)
    const found = await gateway.call<{ items: readonly Readonly<Record<string, unknown>>[] }>(
      'GET',
      `/v1/email/logs?ses_message_id=${mail.id}`,
    )
    const [{ request_id: requestId, outbox_id: outboxId, status } = {}, ...more] = found.body.items
    assert.deepEqual([requestId, outboxId, status, more], [id, id, 'SENT', []])
  })

  test('mail that exceeds the SES quota is sent by the mail server at once without using an attempt', async () => {
    ses.behave(QUOTA)
    sink.react('rcpt', (nth) => (nth === 1 ? '450 4.2.1 busy' : 'take'))
    const to = mailboxAt(BY_BOTH)
    const id = await sendMail(gateway, { to })
    const message = await untilStatus(gateway, id, 'sent', PATIENT)
    assert.deepEqual([message.provider, message.error_code], ['post', null])
    const retry = message.events.find(({ event_type: kind }) => kind === 'RetryScheduled')
    assert.deepEqual(retry && [payloadField(retry, 'code'), payloadField(retry, 'avoid')], [
      'SES_DAILY_QUOTA_EXCEEDED',
      'amazon',
    ])
    assert.deepEqual([mailsTo(sink, to).length, givenToSes(to)], [1, []])
  })

  test('mail that exceeds the SES quota waits without using an attempt if there is no other provider', async () => {
    ses.behave(QUOTA)
    const id = await sendMail(gateway, { to: mailboxAt(BY_SES) })
    const { events, due_at: dueAt } = await untilEvent(gateway, id, 'RetryScheduled', PATIENT)
    const retry = events.find(({ event_type: kind }) => kind === 'RetryScheduled')
    assert.deepEqual(retry && [payloadField(retry, 'code'), payloadField(retry, 'uncounted')], [
      'SES_DAILY_QUOTA_EXCEEDED',
      true,
    ])
    // The decision is made a moment before it is stored.
    assert.ok(Date.parse(dueAt ?? '') - Date.parse(retry?.at ?? '') > 590_000)
  })

  test('mail that SES did not answer has an unknown outcome and is resent only by a person', async () => {
    ses.behave('hang up')
    const to = mailboxAt(BY_SES)
    const id = await sendMail(gateway, { to })
    const doubtful = await untilEvent(gateway, id, 'HandoffUnknown', PATIENT)
    const last = doubtful.events.at(-1)
    assert.deepEqual([last && payloadField(last, 'code'), await unknownOnes()], ['NETWORK_ERROR', [id]])
    ses.behave('well')
    assert.equal((await gateway.call('POST', `/v1/messages/${id}/resolve`, { as: 'sent' })).status, 200)
    assert.deepEqual([(await show(gateway, id)).status, await unknownOnes()], ['sent', []])
    assert.equal(givenToSes(to).length, 1)
  })

  test('mail whose answer is missing after the data has an unknown outcome; before the data it is retried', async () => {
    const [lost, cut] = [mailboxAt('mail.example'), mailboxAt('mail.example')]
    sink.react('end', (nth) => (nth === 1 ? 'hang up' : 'take'))
    const doubtful = await sendMail(gateway, { to: lost })
    await untilEvent(gateway, doubtful, 'HandoffUnknown', PATIENT)
    sink.react('rcpt', (nth) => (nth === 1 ? 'hang up' : 'take'))
    const certain = await sendMail(gateway, { to: cut })
    assert.equal((await untilStatus(gateway, certain, 'sent', PATIENT)).unknown, false)
    assert.deepEqual([mailsTo(sink, lost).length, mailsTo(sink, cut).length], [1, 1])
    assert.deepEqual(
      [kindsOf(await show(gateway, doubtful)).at(-1), await unknownOnes()],
      ['HandoffUnknown', [doubtful]],
    )
    assert.equal((await gateway.call('POST', `/v1/messages/${doubtful}/resolve`, { as: 'sent' })).status, 200)
  })
}
